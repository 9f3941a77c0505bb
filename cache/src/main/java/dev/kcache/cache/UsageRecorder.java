// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.UsageTable;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what a manager counts, for the sum over all processes: when it is closed, or else
 * when the JVM ends, and from time to time beside other work on the disk. So a process that is
 * killed loses the counts of its last seconds.
 *
 * <p>Writes nothing where there is nothing to tell, no cache directory yet, or no way to write to
 * it: what could not be written is kept for the next time. Safe for use by any number of threads.
 */
final class UsageRecorder implements AutoCloseable {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Optional<DiskStore> own;
  private final UsageCounters counters;
  private UsageTable pending;
  private volatile long writtenAt;
  private volatile boolean watching;
  private @Nullable AtEnd atEnd;
  private boolean closed;

  /**
   * Records what is counted.
   *
   * @param own the user's own cache directory, if there is one
   */
  UsageRecorder(Optional<DiskStore> own, UsageCounters counters) {
    this.own = own;
    this.counters = counters;
    pending = new UsageTable(System.currentTimeMillis());
    writtenAt = System.nanoTime();
  }

  /** Something has been counted beside other work on the disk, which may take a moment longer. */
  void workedOnDisk() {
    if (!watching) {
      watchTheEnd();
    }
    if (System.nanoTime() - writtenAt >= INTERVAL_NANOS) {
      write();
    }
  }

  /** Writes what has been counted since it was written last. */
  synchronized void write() {
    writtenAt = System.nanoTime();
    counters.takeTo(pending);
    if (pending.isEmpty() || own.isEmpty()) {
      return;
    }
    try {
      if (own.get().addUsage(pending)) {
        pending = new UsageTable(System.currentTimeMillis());
      }
    } catch (IOException e) {
      // Kept for the next time. What a cache cannot do is never a fault of its user.
      return;
    }
  }

  /** Writes down what there is, and no more after that. */
  @Override
  public void close() {
    AtEnd registered;
    synchronized (this) {
      closed = true;
      registered = atEnd;
    }
    if (registered != null) {
      try {
        Runtime.getRuntime().removeShutdownHook(registered);
      } catch (IllegalStateException e) {
        // It is running, and finds what we leave, or nothing.
      }
    }
    write();
  }

  private synchronized void watchTheEnd() {
    if (watching) {
      return;
    }
    watching = true;
    if (closed || own.isEmpty()) {
      return;
    }
    AtEnd hook = new AtEnd(this);
    atEnd = hook;
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The end has come: whoever closes the manager writes.
    }
  }

  /** Writes at the end of the JVM. Holds the counters and no code object. */
  private static final class AtEnd extends Thread {
    private final UsageRecorder recorder;

    AtEnd(UsageRecorder recorder) {
      super("kcache-usage");
      this.recorder = recorder;
    }

    @Override
    public void run() {
      recorder.write();
    }
  }
}
