// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.trust.Rights;
import dev.kcache.codeobject.Digest;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * The steps that reads and changes of entries consist of, one method each, so that a test can fail
 * at any step or kill the process there.
 *
 * <p>Content goes through streams, since an interrupt closes a channel in the middle of its work.
 */
public class FileOperations {
  static final int CHUNK_BYTES = 1 << 16;

  /** Files handled at once in {@link #forEach}; most wait for the disk. */
  private static final int THREADS = 8;

  /** Fewer files are not worth a thread. */
  private static final int MANY = 64;

  /** Returns the steps as the file system takes them that a path is on. */
  public static FileOperations of(Path path) {
    return Rights.areModes(path.getFileSystem())
        ? new FileOperations()
        : WindowsFileOperations.create();
  }

  /**
   * Reads at most {@code limit} bytes from the start of a file. Goes on when interrupted, follows
   * no link, and never blocks on a pipe or device.
   *
   * @throws java.io.FileNotFoundException if it is missing, no regular file, or cannot be opened
   */
  public byte[] read(Path file, int limit) throws IOException {
    requireRegular(file);
    try (InputStream in = new FileInputStream(file.toFile())) {
      return in.readNBytes(limit);
    }
  }

  /**
   * Returns the SHA-256 of a file's content, which need not fit into memory; otherwise as {@link
   * #read}.
   *
   * @throws java.io.FileNotFoundException if it is missing, no regular file, or cannot be opened
   */
  public Digest digest(Path file) throws IOException {
    requireRegular(file);
    try (InputStream in = new FileInputStream(file.toFile())) {
      return Digest.of(in);
    }
  }

  /** Opening a pipe would block, and a link could lead to a file that anybody can write. */
  static void requireRegular(Path file) throws FileNotFoundException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileNotFoundException(file + " is not there or no regular file");
    }
  }

  /**
   * Creates a directory with the permissions of {@code access}.
   *
   * @throws java.nio.file.FileAlreadyExistsException if something has that name
   */
  public void createDirectory(Path directory, Access access) throws IOException {
    int mode = access.directoryMode();
    Files.createDirectory(directory, permissions(mode));
    Files.setAttribute(directory, "unix:mode", mode);
  }

  /**
   * Creates an empty file that no other user can open for writing, at any moment.
   *
   * @throws java.nio.file.FileAlreadyExistsException if something has that name
   */
  public void createFile(Path file, Access access) throws IOException {
    int mode = access.fileMode();
    Files.createFile(file, permissions(mode));
    Files.setAttribute(file, "unix:mode", mode);
  }

  /** For the moment of creation: the umask may remove bits, so the mode is set again. */
  private static FileAttribute<Set<PosixFilePermission>> permissions(int mode) {
    return PosixFilePermissions.asFileAttribute(
        PosixFilePermissions.fromString(Rights.permissions(mode)));
  }

  /** Writes the remaining bytes of {@code content} to a file; leaves its position unchanged. */
  public void write(Path file, ByteBuffer content) throws IOException {
    ByteBuffer rest = content.duplicate();
    byte[] chunk = new byte[Math.min(CHUNK_BYTES, rest.remaining())];
    try (OutputStream out = new FileOutputStream(file.toFile())) {
      while (rest.hasRemaining()) {
        int length = Math.min(chunk.length, rest.remaining());
        rest.get(chunk, 0, length);
        out.write(chunk, 0, length);
      }
    }
  }

  /** Waits until a file's content is on the disk. */
  public void force(Path file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.getFD().sync();
    }
  }

  /** Gives a file another name in one step, replacing what had that name. */
  public void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Returns whether a step failed since others have a file open. */
  boolean isInUse(Exception failure) {
    return false;
  }

  /** Sets the modification time of a file to now; returns whether that was possible. */
  public boolean touch(Path file) {
    // A hit has loaded File already.
    return file.toFile().setLastModified(System.currentTimeMillis());
  }

  /** Waits until a directory's names are on the disk, where the file system can do that. */
  public void forceDirectory(Path directory) {
    boolean interrupted = false;
    try {
      while (true) {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
          channel.force(true);
          return;
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        } catch (IOException e) {
          // Some file systems cannot. There a power cut may lose a name, which reads as a miss.
          return;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Runs an action for each file and returns when all are done, interrupted or not; throws what one
   * of them threw. Many files are handled in parallel, since a file system that discards freed
   * blocks waits for the disk at each removal.
   */
  public <T> void forEach(Collection<T> files, Consumer<? super T> action) {
    if (files.size() < MANY) {
      files.forEach(action);
      return;
    }
    ExecutorService threads = Executors.newFixedThreadPool(THREADS, FileOperations::daemon);
    try {
      CompletableFuture.allOf(
              files.stream()
                  .map(file -> CompletableFuture.runAsync(() -> action.accept(file), threads))
                  .toArray(CompletableFuture<?>[]::new))
          .join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    } finally {
      threads.shutdown();
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "kcache-files");
    thread.setDaemon(true);
    return thread;
  }

  /** Deletes a partly written file; if that fails too, adds the failure to {@code reason}. */
  final void discard(Path file, Exception reason) {
    try {
      delete(file);
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  /** Returns how many files are in a directory; none if it can't be listed. */
  int count(Path directory) {
    String[] names = directory.toFile().list();
    return names == null ? 0 : names.length;
  }

  /**
   * Returns how many bytes this user can write where a directory is; 0 if that can't be found out.
   * By way of {@link java.io.File}: a chroot often lacks the mount table that NIO looks into.
   */
  long freeBytes(Path directory) {
    return directory.toFile().getUsableSpace();
  }

  /** Deletes a file or an empty directory, if it is there. */
  public void delete(Path path) throws IOException {
    // File takes one system call. Files takes more, but says why it fails.
    if (!path.toFile().delete()) {
      Files.deleteIfExists(path);
    }
  }
}
