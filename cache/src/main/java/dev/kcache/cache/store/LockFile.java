// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The lock file, each byte of which stands for a request.
 *
 * <p>A process loses all its POSIX locks on a file when it closes any descriptor of it. So all
 * users of this class share one channel per file, which is never closed. Another class loader has a
 * channel of its own: the JVM still refuses to lock a byte twice, and a class loader that is
 * collected costs a second compile at worst. The file is never deleted, read or written: on Windows
 * a lock would keep others from that.
 *
 * <p>Safe for use by any number of threads that are not interrupted: an interrupt closes the
 * channel for all.
 */
final class LockFile {
  /** By file key, since a file may have several names, and a name may get another file. */
  private static final Map<String, FileChannel> CHANNELS = new HashMap<>();

  private static final int OPEN_ATTEMPTS = 3;

  private final Path file;
  private final Access access;

  LockFile(Path file, Access access) {
    this.file = file;
    this.access = access;
  }

  /**
   * Locks the byte at {@code position}, unless this JVM or another process has it locked.
   *
   * @throws IOException if the file cannot be opened, or its file system has no locks
   */
  Optional<FileLock> tryLock(long position) throws IOException {
    try {
      return Optional.ofNullable(channel().tryLock(position, 1, false));
    } catch (OverlappingFileLockException e) {
      return Optional.empty();
    }
  }

  /** Returns the JVM's channel of the file that now has the name. */
  private FileChannel channel() throws IOException {
    create();
    for (int attempt = 0; attempt < OPEN_ATTEMPTS; attempt++) {
      String identity = identity();
      FileChannel channel = open(identity);
      // The name may have got another file between look and opening.
      if (identity.equals(identity())) {
        return channel;
      }
    }
    throw new IOException(file + " is replaced again and again");
  }

  private FileChannel open(String identity) throws IOException {
    synchronized (CHANNELS) {
      FileChannel known = CHANNELS.get(identity);
      if (known != null && known.isOpen()) {
        return known;
      }
      FileChannel opened =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
      CHANNELS.put(identity, opened);
      return opened;
    }
  }

  private void create() throws IOException {
    if (!Files.exists(file)) {
      try {
        FileOperations.of(file).createFile(file, access);
      } catch (FileAlreadyExistsException e) {
        return;
      }
    }
  }

  /** Windows tells no key: there the real path stands for the file. */
  private String identity() throws IOException {
    Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    return Objects.requireNonNullElse(key, file.toRealPath()).toString();
  }
}
