// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.store.CacheDirectory.RecordFile;
import dev.kcache.cache.store.Remover.Removed;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What somebody chose to remove from a cache directory. What is added after the choice is not part
 * of it. Not safe for use by several threads; others may use the directory meanwhile.
 */
public final class Selection {
  private final Remover remover;
  private final Sweeper sweeper;
  private final List<RecordFile> records;
  private final List<Path> others;
  private final boolean everything;
  private final long bytes;

  /**
   * Holds a choice.
   *
   * @param contents the code objects and lists that go with the records
   * @param others files and directories that are no entries
   * @param everything whether also what no record names is to go
   */
  Selection(
      Remover remover,
      Sweeper sweeper,
      List<RecordFile> records,
      Collection<Path> contents,
      List<Path> others,
      boolean everything) {
    this.remover = remover;
    this.sweeper = sweeper;
    this.records = List.copyOf(records);
    this.others = List.copyOf(others);
    this.everything = everything;
    bytes =
        records.stream().mapToLong(name -> size(name.file())).sum()
            + contents.stream().mapToLong(Selection::size).sum()
            + others.stream().mapToLong(Selection::size).sum();
  }

  /** Returns how many records it has. */
  public long records() {
    return records.size();
  }

  /** Returns the size of all that was there when it was made. */
  public long bytes() {
    return bytes;
  }

  /**
   * Removes it, but for code objects that a writer may need in this moment.
   *
   * @return one line about the first file that could not be removed, if one could not
   */
  public Optional<String> remove() {
    Removed removed = remover.remove(records);
    if (!everything) {
      return removed.failure();
    }
    Removed unreferenced = remover.removeUnreferenced();
    sweeper.remove(others);
    return removed.failure().or(unreferenced::failure);
  }

  /** Returns the size of a file, or of all files below a directory; 0 if it is gone. */
  static long size(Path path) {
    Sizes sizes = new Sizes();
    try {
      Files.walkFileTree(path, sizes);
    } catch (IOException e) {
      return sizes.bytes;
    }
    return sizes.bytes;
  }

  private static final class Sizes extends SimpleFileVisitor<Path> {
    private long bytes;

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      bytes += attributes.size();
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      return FileVisitResult.CONTINUE;
    }
  }
}
