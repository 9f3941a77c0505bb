// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.CollectionResult;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.Evictor;
import dev.kcache.cache.store.FileGroup;
import dev.kcache.cache.store.StoreMaintenance;
import dev.kcache.toolchain.driver.ProbeCacheFiles;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a manager's cache directory within its limits, on a thread of its own: once an hour at
 * most, over all processes, and when this manager alone has added a tenth of the limit. It leaves a
 * directory that was filled for others alone.
 *
 * <p>Safe for use by any number of threads.
 */
final class BackgroundEviction {
  private static final long TENTHS = 10;

  /** To look at a hundred thousand entries takes three seconds. */
  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final CacheLimits limits;
  private final CacheEvents events;
  private @Nullable Thread thread;
  private long added;
  private boolean closed;
  private volatile boolean stopped;

  BackgroundEviction(CacheLimits limits, CacheEvents events) {
    this.limits = limits;
    this.events = events;
  }

  /** Returns the files of a store's probe caches that may go. */
  static List<FileGroup> evictable(StoreMaintenance store) {
    return ProbeCacheFiles.in(store.probeCaches()).stream()
        .map(group -> new FileGroup(group.files(), group.lastUse()))
        .toList();
  }

  /**
   * Evicts if it is time to, after something of that size was added to the directory. Starts
   * nothing once closed: a toolchain that closes the manager still keeps its result.
   */
  synchronized void added(DiskStore store, long bytes) {
    added += bytes;
    boolean runs = thread != null && thread.isAlive();
    if (closed || limits.isUnlimited() || store.isForOthers() || runs) {
      return;
    }
    StoreMaintenance maintenance = store.maintenance();
    boolean much = limits.maxSize().isPresent() && added > limits.maxSize().getAsLong() / TENTHS;
    if (!much && !maintenance.evictor().mayBeDue()) {
      return;
    }
    added = 0;
    Thread started = new Thread(() -> collect(maintenance, much), "kcache-evict");
    started.setDaemon(true);
    try {
      started.start();
      thread = started;
    } catch (OutOfMemoryError e) {
      log().log(Level.DEBUG, "nothing is evicted: there is no thread for it", e);
    }
  }

  private void collect(StoreMaintenance store, boolean isDue) {
    long start = System.nanoTime();
    try {
      Evictor evictor = store.evictor();
      List<FileGroup> others = evictable(store);
      Optional<CollectionResult> result =
          isDue
              ? Optional.of(evictor.collect(limits.policy(), others, () -> stopped))
              : evictor.collectIfDue(limits.policy(), others, () -> stopped);
      result.ifPresent(
          done -> {
            log().log(Level.DEBUG, () -> "evicted: " + done);
            events.collected(done, Duration.ofNanos(System.nanoTime() - start));
          });
    } catch (IOException | RuntimeException e) {
      log().log(Level.DEBUG, "nothing is evicted", e);
    }
  }

  /**
   * Waits for one that runs, unless it calls this, and then has it leave the rest for another time.
   */
  void close() {
    Thread running;
    synchronized (this) {
      closed = true;
      running = thread;
    }
    try {
      if (running != null && running != Thread.currentThread()) {
        running.join(CLOSING.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    stopped = true;
  }

  private static Logger log() {
    return System.getLogger(BackgroundEviction.class.getName());
  }
}
