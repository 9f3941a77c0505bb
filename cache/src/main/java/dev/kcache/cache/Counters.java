// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.UsageTable;
import dev.kcache.codeobject.TargetId;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a manager counts, by target and source; beyond some thousand sources, by target alone. Safe
 * for use by any number of threads.
 */
final class Counters {
  private final ConcurrentHashMap<String, Tally> tallies = new ConcurrentHashMap<>();
  private final HitCounter.Rows hits = new HitCounter.Rows();
  private final ConcurrentHashMap<TargetId, Tally> others = new ConcurrentHashMap<>();

  /** Returns the tally of a source for a target, always the same. */
  Tally tally(TargetId target, String source) {
    String key = target + " " + source;
    Tally known = tallies.get(key);
    if (known != null) {
      return known;
    }
    if (tallies.size() >= UsageTable.MOST_ROWS) {
      return others.computeIfAbsent(target, unused -> new Tally(target, "", hits));
    }
    Tally added = new Tally(target, source, hits);
    Tally first = tallies.putIfAbsent(key, added);
    return first != null ? first : added;
  }

  /** Adds to a table what has been counted since the last time. Called by one thread at a time. */
  void takeTo(UsageTable table) {
    tallies.values().forEach(tally -> tally.takeTo(table));
    others.values().forEach(tally -> tally.takeTo(table));
  }

  CacheStatistics snapshot(long quarantined) {
    long[] sums = new long[UsageTable.COLUMNS];
    tallies.values().forEach(tally -> UsageTable.addTo(sums, tally.counts()));
    others.values().forEach(tally -> UsageTable.addTo(sums, tally.counts()));
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
