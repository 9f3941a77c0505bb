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
 * The file of which each byte stands for a request that somebody compiles.
 *
 * <p>A process loses all its POSIX locks on a file as soon as it closes any descriptor of it. So
 * all users of this class share one channel per file, which is never closed. Another class loader
 * has a channel of its own: the JVM still refuses to lock a byte twice, and what a class loader
 * frees when it is collected costs a second compile. The file is never deleted, read or written.
 *
 * <p>Safe for use by any number of threads, but none that may be interrupted: an interrupt closes
 * the channel for all.
 */
final class LockFile {
  /** By the identity of the file, since one file may have several names and a name pass on. */
  private static final Map<String, FileChannel> CHANNELS = new HashMap<>();

  private static final int OPEN_ATTEMPTS = 3;

  private final Path file;
  private final Access access;

  LockFile(Path file, Access access) {
    this.file = file;
    this.access = access;
  }

  /**
   * Locks the byte at {@code position}, if nobody in this JVM or another process has it locked.
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

  /** Returns the JVM's channel of the file that has the name now. */
  private FileChannel channel() throws IOException {
    create();
    for (int attempt = 0; attempt < OPEN_ATTEMPTS; attempt++) {
      String identity = identity();
      FileChannel channel = open(identity);
      // The name could have passed to another file between looking and opening.
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
        new FileOperations().createFile(file, access);
      } catch (FileAlreadyExistsException e) {
        return;
      }
    }
  }

  private String identity() throws IOException {
    Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    return Objects.requireNonNullElse(key, file.toRealPath()).toString();
  }
}
