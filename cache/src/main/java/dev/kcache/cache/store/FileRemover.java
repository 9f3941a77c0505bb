// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.Removed;
import dev.kcache.toolchain.FileFault;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Removes files and counts them, or only counts what would go. A file that cannot be removed does
 * not stop the rest; one that another process removed is not counted. Safe for use by any number of
 * threads.
 */
final class FileRemover {
  private final @Nullable FileOperations files;
  private final Set<Path> planned = ConcurrentHashMap.newKeySet();
  private long entries;
  private long bytes;
  private Optional<String> failure = Optional.empty();

  private FileRemover(@Nullable FileOperations files) {
    this.files = files;
  }

  /** Returns a remover that deletes. */
  static FileRemover by(FileOperations files) {
    return new FileRemover(files);
  }

  /** Returns a remover that deletes nothing, but counts as if it did. */
  static FileRemover planned() {
    return new FileRemover(null);
  }

  boolean isPlanned() {
    return files == null;
  }

  /** Returns whether a dry run has removed a file. */
  boolean isPlanned(Path file) {
    return planned.contains(file);
  }

  void removeRecord(Path record, long size) {
    remove(record, 1, size);
  }

  void remove(Path file, long size) {
    remove(file, 0, size);
  }

  /** Removes the files in order, unless the first has been used since. */
  void remove(FileGroup group) {
    for (Path file : group.files()) {
      try {
        Optional<BasicFileAttributes> found = EntryRemover.look(file);
        if (found.isPresent()) {
          if (file.equals(group.files().get(0))
              && found.get().lastModifiedTime().toInstant().isAfter(group.lastUse())) {
            return;
          }
          remove(file, found.get().size());
        }
      } catch (IOException e) {
        fail(file, e);
      }
    }
  }

  private void remove(Path file, int entriesOfIt, long size) {
    try {
      delete(file);
      count(entriesOfIt, DiskSpace.of(size));
    } catch (IOException e) {
      fail(file, e);
    }
  }

  /**
   * Removes a directory if it is empty. It is held open meanwhile, so that its blocks are freed at
   * the close, when its parent is not locked any more: a file system that waits for the disk then
   * lets others remove files from the parent at the same time.
   */
  @SuppressWarnings("try")
  void removeEmpty(Path directory) {
    if (planned.contains(directory)
        || !Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
        || !planned.containsAll(isPlanned() ? DirectoryListing.list(directory) : Set.of())) {
      return;
    }
    try (DirectoryStream<Path> unused = Files.newDirectoryStream(directory)) {
      delete(directory);
      count(0, DiskSpace.DIRECTORY);
    } catch (DirectoryNotEmptyException | NoSuchFileException e) {
      return;
    } catch (IOException e) {
      fail(directory, e);
    }
  }

  /** Removes a file, or a directory and everything in it. */
  void removeTree(Path tree) {
    try {
      Files.walkFileTree(tree, new Visitor());
    } catch (IOException e) {
      fail(tree, e);
    }
  }

  private void delete(Path path) throws IOException {
    if (files == null) {
      planned.add(path);
    } else {
      files.delete(path);
    }
  }

  private synchronized void count(int moreEntries, long moreBytes) {
    entries += moreEntries;
    bytes += moreBytes;
  }

  /** Records that a path could not be removed. */
  synchronized void fail(Path path, IOException e) {
    if (failure.isEmpty()) {
      failure = Optional.of("'" + path + "' cannot be removed (" + FileFault.reason(e) + ")");
    }
  }

  /** Returns what has been removed so far. */
  synchronized Removed result() {
    return new Removed(entries, bytes, failure);
  }

  private final class Visitor extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      remove(file, attributes.size());
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      if (!(e instanceof NoSuchFileException)) {
        fail(file, e);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) {
      removeEmpty(visited);
      return FileVisitResult.CONTINUE;
    }
  }
}
