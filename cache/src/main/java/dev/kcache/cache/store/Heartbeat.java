// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sign of life of a lock's holder: a small file whose content changes about every second.
 *
 * <p>The content, not the time stamp: a network file system shows fresh content to a process that
 * opens the file, but may show attributes that are a minute old. Not safe for use by several
 * threads.
 */
final class Heartbeat {
  static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final int MAX_BYTES = 200;

  private final Path file;
  private final Access access;

  /** Tells one holder's beats from the next one's. No UUID: the first takes a process 20 ms. */
  private final String holder =
      ProcessHandle.current().pid() + " " + Long.toHexString(System.nanoTime());

  private long count;

  Heartbeat(Path file, Access access) {
    this.file = file;
    this.access = access;
  }

  /** Writes a beat. One that cannot be written is not heard. */
  void beat() {
    count++;
    try {
      if (!isThere(file)) {
        Files.deleteIfExists(file);
        FileOperations.of(file).createFile(file, access);
      }
      write();
    } catch (IOException e) {
      return;
    }
  }

  /** Follows no link: in a group's directory, another member may have placed one. */
  private void write() throws IOException {
    try (OutputStream out =
        Files.newOutputStream(
            file,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING,
            LinkOption.NOFOLLOW_LINKS)) {
      out.write((holder + " " + count + "\n").getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** Removes the file. Call it before the lock is released: then the next holder owns the file. */
  void end() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      return;
    }
  }

  /** Opening a pipe would block. */
  private static boolean isThere(Path file) {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
  }

  private static String read(Path file) {
    try {
      return new String(FileOperations.of(file).read(file, MAX_BYTES), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return "";
    }
  }

  /**
   * Listens for the beats of a lock's holder. Counts only the time during which the listener itself
   * was running, so that a pause of the whole machine makes no holder seem dead.
   */
  static final class Watch {
    private final Path file;
    private final LongSupplier nanoTime;
    private @Nullable String last;
    private long looked;
    private long silentNanos;

    Watch(Path file, LongSupplier nanoTime) {
      this.file = file;
      this.nanoTime = nanoTime;
      looked = nanoTime.getAsLong();
    }

    /** Returns the time since the last new beat. */
    Duration silence() {
      long now = nanoTime.getAsLong();
      String beat = read(file);
      if (beat.equals(last)) {
        silentNanos += Math.min(now - looked, INTERVAL.toNanos());
      } else {
        silentNanos = 0;
        last = beat;
      }
      looked = now;
      return Duration.ofNanos(silentNanos);
    }
  }
}
