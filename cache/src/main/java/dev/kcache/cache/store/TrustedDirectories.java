// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.trust.Trust;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Which parts of a cache directory nobody else can have written. The directories inside it are
 * looked at again after two seconds, and a record each time.
 *
 * <p>Safe for use by any number of threads.
 */
final class TrustedDirectories {
  private static final long NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Those that a process uses again and again; one of many is looked at each time. */
  private static final int MOST = 4096;

  private final Trust trust;
  private final LongSupplier nanoTime;
  private final ConcurrentHashMap<Path, Long> lookedAt = new ConcurrentHashMap<>();

  TrustedDirectories(Trust trust, LongSupplier nanoTime) {
    this.trust = trust;
    this.nanoTime = nanoTime;
  }

  /** Returns whether a directory is trusted, or was a moment ago. */
  boolean trusts(Path directory) {
    long now = nanoTime.getAsLong();
    Long last = lookedAt.get(directory);
    if (last != null && now - last < NANOS) {
      return true;
    }
    boolean trusted = isTrusted(directory);
    if (trusted) {
      if (lookedAt.size() >= MOST) {
        lookedAt.clear();
      }
      lookedAt.put(directory, now);
    } else {
      lookedAt.remove(directory);
    }
    return trusted;
  }

  /** Returns whether a file or directory is trusted now. */
  boolean isTrusted(Path path) {
    return isTrusted(path, trust.objection(path));
  }

  /**
   * Returns whether a file that looks like this is trusted.
   *
   * @throws IOException if that cannot be told
   */
  boolean isTrusted(Path path, FileStatus look) throws IOException {
    return isTrusted(path, trust.objection(path, look.rights()));
  }

  private static boolean isTrusted(Path path, Optional<String> distrust) {
    if (distrust.isPresent()) {
      log().log(Level.DEBUG, () -> "not using " + path + ": it " + distrust.get());
    }
    return distrust.isEmpty();
  }

  /** Looked for when it is needed: a process's first logger takes 30 ms. */
  private static Logger log() {
    return System.getLogger(TrustedDirectories.class.getName());
  }
}
