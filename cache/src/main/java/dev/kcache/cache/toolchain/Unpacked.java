// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Predicate;

/**
 * A directory of files that is filled once and shared between processes. It gets its name when it
 * is whole, so that whoever finds the name finds everything; one process fills it while the others
 * wait. What a process that was killed has left is removed by the next that fills it.
 *
 * <p>Safe for use by any number of threads and processes.
 */
public final class Unpacked {
  private static final FileAttribute<?> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  /** A file lock excludes other processes only. */
  private static final Object THREADS = new Object();

  private Unpacked() {}

  /** Writes the files of a directory. */
  @FunctionalInterface
  public interface Writer {
    /** Writes them all into {@code directory}, which is there and empty. */
    void write(Path directory) throws IOException;
  }

  /**
   * Returns the directory {@code name} in {@code parent}, filled if it is not there or not whole.
   *
   * @param parent a directory that only this user can write
   * @param isWhole tells whether nothing was removed or cut off since; looks at names and sizes
   * @throws IOException if it can't be filled; nothing has the name
   */
  public static Path in(Path parent, String name, Predicate<Path> isWhole, Writer writer)
      throws IOException {
    Path directory = parent.resolve(name);
    if (isWhole.test(directory)) {
      return directory;
    }
    synchronized (THREADS) {
      try (FileChannel channel =
          FileChannel.open(
              parent.resolve(name + ".lock"),
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              LinkOption.NOFOLLOW_LINKS)) {
        // Until the channel is closed.
        var unused = channel.lock();
        if (!isWhole.test(directory)) {
          fill(parent, name, writer);
        }
        return directory;
      }
    }
  }

  private static void fill(Path parent, String name, Writer writer) throws IOException {
    String prefix = "." + name + "-";
    try (DirectoryStream<Path> left = Files.newDirectoryStream(parent, prefix + "*")) {
      for (Path each : left) {
        delete(each);
      }
    }
    Path temporary = Files.createTempDirectory(parent, prefix, PRIVATE);
    try {
      writer.write(temporary);
      Path directory = parent.resolve(name);
      if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
        Files.move(directory, parent.resolve(prefix + "damaged"));
      }
      rename(temporary, directory);
    } catch (IOException | RuntimeException e) {
      delete(temporary);
      throw e;
    }
    delete(parent.resolve(prefix + "damaged"));
  }

  /** On a file system without locks another process may have been faster. */
  private static void rename(Path temporary, Path directory) throws IOException {
    try {
      Files.move(temporary, directory, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
      delete(temporary);
    }
  }

  private static void delete(Path root) throws IOException {
    if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.walkFileTree(root, new Staging.Deleter());
  }
}
