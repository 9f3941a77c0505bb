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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * The steps on a real file system. Content goes through streams rather than channels: an interrupt
 * closes a channel in the middle of its work, a stream does not care.
 */
public final class PosixFileOperations implements FileOperations {
  private static final int CHUNK_BYTES = 1 << 16;

  /** How many files are worked on at once, most of the time waiting for the disk. */
  private static final int THREADS = 8;

  /** Fewer are not worth threads of their own. */
  private static final int MANY = 64;

  @Override
  public byte[] read(Path file, int limit) throws IOException {
    try (InputStream in = open(file)) {
      return in.readNBytes(limit);
    }
  }

  @Override
  public Digest digest(Path file) throws IOException {
    try (InputStream in = open(file)) {
      return Digest.of(in);
    }
  }

  /** To open a pipe waits for its other end, and a link could lead to what anybody writes. */
  private static InputStream open(Path file) throws FileNotFoundException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileNotFoundException(file + " is not there or no regular file");
    }
    return new FileInputStream(file.toFile());
  }

  @Override
  public void createDirectory(Path directory, Access access) throws IOException {
    int mode = access.directoryMode();
    Files.createDirectory(directory, permissions(mode));
    Files.setAttribute(directory, "unix:mode", mode);
  }

  @Override
  public void createFile(Path file, Access access) throws IOException {
    int mode = access.fileMode();
    Files.createFile(file, permissions(mode));
    Files.setAttribute(file, "unix:mode", mode);
  }

  /** The umask may take away what others need, or the owner; so the mode is set again. */
  private static FileAttribute<Set<PosixFilePermission>> permissions(int mode) {
    return PosixFilePermissions.asFileAttribute(
        PosixFilePermissions.fromString(Rights.permissions(mode)));
  }

  @Override
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

  @Override
  public void force(Path file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.getFD().sync();
    }
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  /** By way of {@link java.io.File}, which is there already when a hit first needs it. */
  @Override
  public boolean touch(Path file) {
    return file.toFile().setLastModified(System.currentTimeMillis());
  }

  @Override
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
   * {@inheritDoc}
   *
   * <p>Several at once: a file system that tells the disk of each block that becomes free waits for
   * it, file by file.
   */
  @Override
  public <T> void forEach(Collection<T> files, Consumer<? super T> action) {
    if (files.size() < MANY) {
      files.forEach(action);
      return;
    }
    ExecutorService threads = Executors.newFixedThreadPool(THREADS, PosixFileOperations::daemon);
    try {
      CompletableFuture.allOf(
              files.stream()
                  .map(file -> CompletableFuture.runAsync(() -> action.accept(file), threads))
                  .toArray(CompletableFuture<?>[]::new))
          .join();
    } finally {
      threads.shutdown();
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "kcache-files");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void delete(Path path) throws IOException {
    Files.deleteIfExists(path);
  }
}
