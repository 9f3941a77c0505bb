// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
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
 * <p>The content rather than the time stamp, since a network file system shows fresh content to
 * whoever opens a file but may show attributes that are a minute old. Not safe for use by several
 * threads.
 */
final class Heartbeat {
  static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final int MAX_BYTES = 200;

  private final Path file;
  private final Access access;

  /**
   * Tells one holder's beats from the next one's. The first UUID takes a process 20 ms and more.
   */
  private final String holder =
      ProcessHandle.current().pid() + " " + Long.toHexString(System.nanoTime());

  private long count;

  Heartbeat(Path file, Access access) {
    this.file = file;
    this.access = access;
  }

  /** Shows that the holder is alive. A beat that cannot be written is a beat that is not heard. */
  void beat() {
    count++;
    try {
      if (!isThere(file)) {
        Files.deleteIfExists(file);
        new FileOperations().createFile(file, access);
      }
      write();
    } catch (IOException e) {
      return;
    }
  }

  /** Into the file itself: in a directory of a group, a link would be somebody's trick. */
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

  /** Removes the file, to be called before the lock is released: later it is the next holder's. */
  void end() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      return;
    }
  }

  /** Whoever opens a pipe waits for its other end. */
  private static boolean isThere(Path file) {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
  }

  private static String read(Path file) {
    if (!isThere(file)) {
      return "";
    }
    try (InputStream in = new FileInputStream(file.toFile())) {
      return new String(in.readNBytes(MAX_BYTES), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return "";
    }
  }

  /**
   * Listens for the beats of whoever holds a lock. Counts the time during which the listener itself
   * was running: after a pause of the whole machine, nobody is to be taken for dead.
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

    /** Returns for how long no new beat has been heard. */
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
