// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.UsageTable;
import dev.kcache.codeobject.TargetId;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a manager counts, by target and source; beyond some thousand sources, by target alone. Safe
 * for use by any number of threads.
 */
final class UsageCounters {
  private final ConcurrentHashMap<String, Row> rows = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<TargetId, Row> others = new ConcurrentHashMap<>();

  /** The counts of one source for one target. Safe for use by any number of threads. */
  static final class Row {
    private final String target;
    private final String source;
    private final LongAdder[] counts = new LongAdder[UsageTable.COLUMNS];

    /** What has been taken by {@link #takeTo}. */
    private long[] taken = new long[UsageTable.COLUMNS];

    /** Creates a row; the source is empty for the target's sources without one. */
    Row(TargetId target, String source) {
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
      long[] sums = new long[UsageTable.COLUMNS];
      Arrays.setAll(sums, column -> counts[column].sum());
      return sums;
    }

    /** Adds to a table what has been counted since it was taken last. */
    private void takeTo(UsageTable table) {
      long[] now = sums();
      long[] more = new long[now.length];
      Arrays.setAll(more, column -> now[column] - taken[column]);
      taken = now;
      if (Arrays.stream(more).anyMatch(count -> count != 0)) {
        table.add(target, source, more);
      }
    }
  }

  /** Returns the row of a source for a target, always the same. */
  Row row(TargetId target, String source) {
    String key = target + " " + source;
    Row known = rows.get(key);
    if (known != null) {
      return known;
    }
    return rows.size() < UsageTable.MOST_ROWS
        ? rows.computeIfAbsent(key, added -> new Row(target, source))
        : others.computeIfAbsent(target, added -> new Row(target, ""));
  }

  /** Adds to a table what has been counted since the last time. Called by one thread at a time. */
  void takeTo(UsageTable table) {
    rows.values().forEach(row -> row.takeTo(table));
    others.values().forEach(row -> row.takeTo(table));
  }

  CacheStatistics snapshot(long quarantined) {
    long[] sums = new long[UsageTable.COLUMNS];
    rows.values().forEach(row -> UsageTable.addTo(sums, row.sums()));
    others.values().forEach(row -> UsageTable.addTo(sums, row.sums()));
    return new CacheStatistics(
        sums[UsageTable.MEMORY_HITS],
        sums[UsageTable.DISK_HITS],
        sums[UsageTable.COMPILES],
        sums[UsageTable.FAILED_COMPILES],
        sums[UsageTable.NOT_KEPT],
        quarantined,
        Duration.ofNanos(sums[UsageTable.COMPILE_NANOS]),
        Duration.ofNanos(sums[UsageTable.SAVED_NANOS]));
  }
}
