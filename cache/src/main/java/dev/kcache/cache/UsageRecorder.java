// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.UsageTable;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a manager does, by target and source, and writes it down for the sum over all
 * processes: when the manager is closed, or else when the JVM ends, and from time to time beside
 * other work on the disk. So a process that is killed loses the counts of its last seconds.
 *
 * <p>Requests belong to the day (UTC) on which they are written down: all of a process that has
 * only hits in memory are of the day on which it ends.
 *
 * <p>Writes nothing where there is nothing to tell, no cache directory yet, or no way to write to
 * it: what could not be written is kept for the next time. Safe for use by any number of threads.
 */
final class UsageRecorder implements AutoCloseable {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);

  private final Optional<DiskStore> own;
  private final ConcurrentHashMap<String, Row> rows = new ConcurrentHashMap<>();
  private final InstantSource clock;
  private UsageTable pending;
  private volatile long writtenAt = System.nanoTime();

  /** Holds the counters and no code object. */
  private volatile @Nullable Thread atEnd;

  private boolean closed;
  private volatile boolean onlyRead;

  /** Writes into the user's own cache directory, if there is one. */
  UsageRecorder(Optional<DiskStore> own, InstantSource clock) {
    this.own = own;
    this.clock = clock;
    pending = new UsageTable(clock.millis());
  }

  /** The counts of one source for one target. Safe for use by any number of threads. */
  static final class Row {
    private final String target;
    private final String source;
    private final LongAdder[] counts = new LongAdder[UsageTable.COLUMNS];

    /** What has been taken by {@link #takeTo}. */
    private long[] taken = new long[UsageTable.COLUMNS];

    private Row(TargetId target, String source) {
      this.target = target.toString();
      this.source = source;
      Arrays.setAll(counts, column -> new LongAdder());
    }

    void memoryHit() {
      counts[UsageTable.MEMORY_HITS].increment();
    }

    void diskHit(Duration saved) {
      counts[UsageTable.DISK_HITS].increment();
      counts[UsageTable.SAVED_NANOS].add(saved.toNanos());
    }

    void remoteHit(Duration saved) {
      counts[UsageTable.REMOTE_HITS].increment();
      counts[UsageTable.SAVED_NANOS].add(saved.toNanos());
    }

    void uploaded(boolean toEachRemote) {
      counts[toEachRemote ? UsageTable.UPLOADED : UsageTable.NOT_UPLOADED].increment();
    }

    void missed() {
      counts[UsageTable.MISSES].increment();
    }

    void compiled(Duration elapsed, boolean succeeded) {
      counts[succeeded ? UsageTable.COMPILES : UsageTable.FAILED_COMPILES].increment();
      counts[UsageTable.COMPILE_NANOS].add(elapsed.toNanos());
    }

    void notKept() {
      counts[UsageTable.NOT_KEPT].increment();
    }

    private long[] sums() {
      return Arrays.stream(counts).mapToLong(LongAdder::sum).toArray();
    }

    /** Adds to a table what has been counted since it was taken last. */
    private void takeTo(UsageTable table, long epochDay) {
      long[] now = sums();
      long[] more = new long[now.length];
      Arrays.setAll(more, column -> now[column] - taken[column]);
      taken = now;
      if (Arrays.stream(more).anyMatch(count -> count != 0)) {
        table.add(target, source, more);
        long hits =
            more[UsageTable.MEMORY_HITS]
                + more[UsageTable.DISK_HITS]
                + more[UsageTable.REMOTE_HITS];
        if (hits != 0 || more[UsageTable.MISSES] != 0) {
          table.addDay(epochDay, new UsageTable.Day(hits, more[UsageTable.MISSES]));
        }
      }
    }
  }

  /**
   * Returns the row of a source for a target, always the same. Beyond some thousand sources, that
   * is the target's one for all others.
   */
  Row row(TargetId target, String source) {
    String key = target + " " + source;
    Row known = rows.get(key);
    if (known != null) {
      return known;
    }
    return rows.size() < UsageTable.MOST_ROWS
        ? rows.computeIfAbsent(key, added -> new Row(target, source))
        : rows.computeIfAbsent(target + " ", added -> new Row(target, ""));
  }

  CacheUsage.Counts total() {
    long[] sums = new long[UsageTable.COLUMNS];
    rows.values().forEach(row -> UsageTable.addTo(sums, row.sums()));
    return CacheUsage.Counts.of(sums);
  }

  /** Something has been counted beside other work on the disk, which may take a moment longer. */
  void workedOnDisk() {
    if (atEnd == null) {
      watchTheEnd();
    }
    if (System.nanoTime() - writtenAt >= INTERVAL_NANOS) {
      write();
    }
  }

  /** Writes nothing from now on. */
  void readOnly() {
    onlyRead = true;
  }

  synchronized void write() {
    if (onlyRead) {
      return;
    }
    writtenAt = System.nanoTime();
    long today = Math.floorDiv(clock.millis(), DAY_MILLIS);
    rows.values().forEach(row -> row.takeTo(pending, today));
    if (pending.isEmpty() || own.isEmpty()) {
      return;
    }
    try {
      if (own.get().addUsage(pending)) {
        pending = new UsageTable(clock.millis());
      }
    } catch (IOException e) {
      // Kept for the next time. What a cache cannot do is never a fault of its user.
      return;
    }
  }

  /** Writes down what there is, and no more after that. */
  @Override
  public void close() {
    Thread registered;
    synchronized (this) {
      closed = true;
      registered = atEnd;
    }
    try {
      if (registered != null) {
        Runtime.getRuntime().removeShutdownHook(registered);
      }
    } catch (IllegalStateException e) {
      // It is running, and finds what we leave, or nothing.
    }
    write();
  }

  private synchronized void watchTheEnd() {
    if (atEnd != null || closed || own.isEmpty()) {
      return;
    }
    atEnd = new Thread(this::write, "kcache-usage");
    try {
      Runtime.getRuntime().addShutdownHook(atEnd);
    } catch (IllegalStateException e) {
      // The end has come: whoever closes the manager writes.
    }
  }
}
