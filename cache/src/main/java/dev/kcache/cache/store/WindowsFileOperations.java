// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.PrivateFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The steps as NTFS takes them.
 *
 * <ul>
 *   <li>A file that is open can be replaced or deleted only if all who opened it share that. Java's
 *       channels do, its {@link java.io.FileInputStream} does not, and virus scanners, indexers and
 *       backups may not, for a moment. So files are read through channels, and what fails is tried
 *       again.
 *   <li>An interrupt closes a channel. Then the step begins anew, and the interrupt is kept.
 *   <li>Names are on the disk when NTFS's journal says so; a directory cannot be forced there.
 *   <li>Access control lists stand for permissions, see {@link Access}.
 * </ul>
 */
class WindowsFileOperations extends FileOperations {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(10);

  /** Of pauses that double each time: one second in all. */
  private static final int PAUSES_TO_RENAME = 7;

  /** 150 ms: a sweep comes back to what stays. */
  private static final int PAUSES_TO_DELETE = 4;

  /** Whoever calls this need not load the class before. */
  static FileOperations create() {
    return new WindowsFileOperations();
  }

  @Override
  public byte[] read(Path file, int limit) throws IOException {
    return reading(file, in -> in.readNBytes(limit));
  }

  @Override
  public Digest digest(Path file) throws IOException {
    return reading(file, Digest::of);
  }

  private static <T> T reading(Path file, Reader<T> reader) throws IOException {
    requireRegular(file);
    return uninterrupted(
        () -> {
          try (InputStream in =
              Files.newInputStream(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            return reader.read(in);
          } catch (NoSuchFileException e) {
            throw (IOException) new FileNotFoundException(file + " is not there").initCause(e);
          }
        });
  }

  @Override
  public void createDirectory(Path directory, Access access) throws IOException {
    if (access == Access.PRIVATE) {
      PrivateFiles.createDirectory(directory);
    } else {
      Files.createDirectory(directory);
    }
  }

  @Override
  public void createFile(Path file, Access access) throws IOException {
    if (access == Access.PRIVATE) {
      PrivateFiles.createFile(file);
    } else {
      Files.createFile(file);
    }
  }

  @Override
  public void write(Path file, ByteBuffer content) throws IOException {
    uninterrupted(
        () -> {
          ByteBuffer rest = content.duplicate();
          byte[] chunk = new byte[Math.min(CHUNK_BYTES, rest.remaining())];
          try (OutputStream out =
              Files.newOutputStream(
                  file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            while (rest.hasRemaining()) {
              int length = Math.min(chunk.length, rest.remaining());
              rest.get(chunk, 0, length);
              out.write(chunk, 0, length);
            }
          }
          return file;
        });
  }

  @Override
  public void force(Path file) throws IOException {
    uninterrupted(
        () -> {
          try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
          }
          return file;
        });
  }

  /**
   * As above; takes a second at most.
   *
   * @throws FileInUseException if the old file is open all the time, and still there
   */
  @Override
  public void rename(Path from, Path to) throws IOException {
    persistently(to, PAUSES_TO_RENAME, () -> move(from, to));
  }

  /**
   * As above.
   *
   * @throws FileInUseException if it is open all the time, and still there
   */
  @Override
  public void delete(Path path) throws IOException {
    persistently(path, PAUSES_TO_DELETE, () -> remove(path));
  }

  /** Tries to rename once. */
  void move(Path from, Path to) throws IOException {
    // The second is part of the first with the system's own file systems.
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Tries to delete once. */
  void remove(Path path) throws IOException {
    Files.deleteIfExists(path);
  }

  /** Waits; an interrupt ends that. */
  void pause(Duration duration) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(duration.toNanos());
  }

  @Override
  public boolean touch(Path file) {
    try {
      Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis()));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void forceDirectory(Path directory) {}

  @Override
  int count(Path directory) {
    return DirectoryListing.list(directory).size();
  }

  @Override
  long freeBytes(Path directory) {
    try {
      return Files.getFileStore(directory).getUsableSpace();
    } catch (IOException e) {
      return 0;
    }
  }

  @Override
  boolean isInUse(Exception failure) {
    return failure instanceof FileInUseException;
  }

  private void persistently(Path file, int pauses, Uninterruptibles.Work work) throws IOException {
    boolean interrupted = Thread.interrupted();
    Duration pause = FIRST_PAUSE;
    try {
      for (int tried = 0; ; tried++) {
        try {
          work.run();
          return;
        } catch (FileSystemException e) {
          if (!isHeld(e)) {
            throw e;
          }
          if (tried == pauses) {
            throw new FileInUseException(file, e);
          }
        }
        try {
          pause(pause);
        } catch (InterruptedException e) {
          interrupted = true;
        }
        pause = pause.multipliedBy(2);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * A sharing violation has no type of its own, and an old deletion that waits is denied access.
   */
  private static boolean isHeld(FileSystemException e) {
    return e instanceof AccessDeniedException || e.getClass() == FileSystemException.class;
  }

  private static <T> T uninterrupted(Step<T> step) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          return step.run();
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private interface Step<T> {
    T run() throws IOException;
  }

  private interface Reader<T> {
    T read(InputStream in) throws IOException;
  }
}
