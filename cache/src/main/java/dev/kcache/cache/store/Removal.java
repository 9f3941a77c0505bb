// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.Removed;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Removes files one by one, and counts; or only counts what would go. What cannot be removed stays,
 * and does not hold up the rest; what somebody else has removed is not counted. Not safe for use by
 * several threads.
 */
final class Removal {
  private final @Nullable FileOperations files;
  private final Set<Path> planned = new HashSet<>();
  private long entries;
  private long bytes;
  private Optional<String> failure = Optional.empty();

  private Removal(@Nullable FileOperations files) {
    this.files = files;
  }

  /** Returns one that removes. */
  static Removal by(FileOperations files) {
    return new Removal(files);
  }

  /** Returns one that removes nothing, but counts as if it did. */
  static Removal planned() {
    return new Removal(null);
  }

  /** Returns whether nothing is removed. */
  boolean isPlanned() {
    return files == null;
  }

  /** Returns whether a file would be gone by now, though it is there. */
  boolean isPlanned(Path file) {
    return planned.contains(file);
  }

  /** Removes a record. */
  void removeRecord(Path record) {
    if (remove(record)) {
      entries++;
    }
  }

  /** Removes a file; returns whether it is this that did. */
  boolean remove(Path file) {
    try {
      long size =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).size();
      delete(file);
      bytes += DiskSpace.of(size);
      return true;
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      fail(file, e);
      return false;
    }
  }

  /** Removes a directory, unless there is something in it. */
  void removeEmpty(Path directory) {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
        || !planned.containsAll(isPlanned() ? CacheDirectory.list(directory) : Set.of())) {
      return;
    }
    try {
      delete(directory);
      bytes += DiskSpace.DIRECTORY;
    } catch (DirectoryNotEmptyException | NoSuchFileException e) {
      return;
    } catch (IOException e) {
      fail(directory, e);
    }
  }

  /** Removes a file, or a directory with all that is in it. */
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

  /** Notes that something could not be removed. */
  void fail(Path path, IOException e) {
    if (failure.isEmpty()) {
      failure = Optional.of("'" + path + "' cannot be removed (" + e + ")");
    }
  }

  /** Returns what was removed until now. */
  Removed result() {
    return new Removed(entries, bytes, failure);
  }

  private final class Visitor extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      remove(file);
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
