// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A directory of files that is filled once and shared between processes. It gets its name when it
 * is complete. One process fills it while the others wait. The next one that fills it removes what
 * killed processes left, and the directories of other versions that were unused for ninety days.
 *
 * <p>Safe for use by any number of threads and processes.
 */
public final class Unpacked {
  private static final Duration UNUSED = Duration.ofDays(90);

  /** The precision of the last use of a directory. */
  private static final Duration INTERVAL = Duration.ofDays(1);

  private static final String LOCK = ".lock";

  /** A file lock excludes other processes only. */
  private static final Object THREADS = new Object();

  private Unpacked() {}

  /** Writes the files of a directory. */
  @FunctionalInterface
  public interface Writer {
    /**
     * Writes all files into {@code directory}, which exists and is empty.
     *
     * @param directory where the files belong
     * @throws IOException if a file can't be written
     */
    void write(Path directory) throws IOException;
  }

  /**
   * {@return the directory {@code name} in {@code parent}, which is filled if it is missing or
   * incomplete}
   *
   * @param parent a directory that only this user can write
   * @param name the directory's name, unique for its content
   * @param isWhole tells by names and sizes whether all files are still complete
   * @param writer fills the directory, where it has to be filled
   * @throws IOException if it can't be filled; then nothing has the name
   */
  public static Path in(Path parent, String name, Predicate<Path> isWhole, Writer writer)
      throws IOException {
    requireNonNull(parent, "parent");
    requireNonNull(name, "name");
    requireNonNull(isWhole, "isWhole");
    requireNonNull(writer, "writer");
    Path directory = parent.resolve(name);
    if (isWhole.test(directory)) {
      keep(lockFile(directory));
      return directory;
    }
    synchronized (THREADS) {
      try (FileChannel channel = open(lockFile(directory))) {
        // Until the channel is closed.
        var unused = channel.lock();
        if (!isWhole.test(directory)) {
          fill(parent, name, writer);
          removeUnused(parent, lockFile(directory));
        }
        keep(lockFile(directory));
        return directory;
      }
    }
  }

  private static Path lockFile(Path directory) {
    return directory.resolveSibling(directory.getFileName() + LOCK);
  }

  private static FileChannel open(Path lockFile) throws IOException {
    if (!Files.exists(lockFile, LinkOption.NOFOLLOW_LINKS)) {
      try {
        PrivateFiles.createFile(lockFile);
      } catch (FileAlreadyExistsException e) {
        // Another process was faster.
      }
    }
    return FileChannel.open(lockFile, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  }

  /** Marks a directory as used, by the time of its lock file. */
  private static void keep(Path lockFile) {
    try {
      if (isOlder(lockFile, INTERVAL)) {
        Files.setLastModifiedTime(lockFile, FileTime.from(Instant.now()));
      }
    } catch (IOException e) {
      // Who only reads does not keep it.
    }
  }

  private static boolean isOlder(Path lockFile, Duration age) throws IOException {
    return Files.getLastModifiedTime(lockFile, LinkOption.NOFOLLOW_LINKS)
        .toInstant()
        .isBefore(Instant.now().minus(age));
  }

  /**
   * Removes what nobody has asked for in a long time. A process that still has it unpacks it anew
   * when it compiles again. The lock files stay: a process that waits for one has it open.
   *
   * @param held the lock file that this process holds, and must not open again
   */
  private static void removeUnused(Path parent, Path held) {
    try (DirectoryStream<Path> locks = Files.newDirectoryStream(parent, "*" + LOCK)) {
      for (Path lockFile : locks) {
        if (!lockFile.equals(held) && isOlder(lockFile, UNUSED)) {
          removeUnlessLocked(lockFile);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      System.getLogger(Unpacked.class.getName())
          .log(Level.DEBUG, "what nobody uses could not be removed", e);
    }
  }

  private static void removeUnlessLocked(Path lockFile) throws IOException {
    String name = lockFile.getFileName().toString();
    try (FileChannel channel = open(lockFile);
        @Nullable FileLock lock = channel.tryLock()) {
      if (lock != null && isOlder(lockFile, UNUSED)) {
        delete(lockFile.resolveSibling(name.substring(0, name.length() - LOCK.length())));
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
    Path temporary = PrivateFiles.createTemporaryDirectory(parent, prefix);
    try {
      writer.write(temporary);
      PrivateFiles.close(temporary);
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
    try (Stream<Path> tree = Files.walk(root)) {
      for (Path each : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (UncheckedIOException e) {
      throw new IOException(e);
    }
  }
}
