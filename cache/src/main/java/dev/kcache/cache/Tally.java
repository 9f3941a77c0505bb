// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.UsageTable;
import dev.kcache.codeobject.TargetId;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a manager counts of one source for one target. It is found once, by who then holds it, so
 * that to count a hit is one increment. Safe for use by any number of threads; never a point of
 * contention.
 */
final class Tally {
  private final String target;
  private final String source;
  private final HitCounter memoryHits;
  private final LongAdder diskHits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder compiles = new LongAdder();
  private final LongAdder failedCompiles = new LongAdder();
  private final LongAdder notKept = new LongAdder();
  private final LongAdder compileNanos = new LongAdder();
  private final LongAdder savedNanos = new LongAdder();

  /** What has been taken by {@link #takeTo}. */
  private long[] taken = new long[UsageTable.COLUMNS];

  /**
   * Creates one.
   *
   * @param source the source's logical name; empty for the target's sources without a tally
   * @param hits where hits in memory are counted
   */
  Tally(TargetId target, String source, HitCounter.Rows hits) {
    this.target = target.toString();
    this.source = source;
    this.memoryHits = new HitCounter(hits);
  }

  /** Returns what counts hits in memory, to who has many. */
  HitCounter memoryHits() {
    return memoryHits;
  }

  void diskHit(Duration saved) {
    diskHits.increment();
    savedNanos.add(saved.toNanos());
  }

  void missed() {
    misses.increment();
  }

  void compiled(Duration elapsed, boolean succeeded) {
    (succeeded ? compiles : failedCompiles).increment();
    compileNanos.add(elapsed.toNanos());
  }

  void notKept() {
    notKept.increment();
  }

  /** Returns the counts, in the order of the columns of a {@link UsageTable}. */
  long[] counts() {
    return new long[] {
      memoryHits.sum(),
      diskHits.sum(),
      misses.sum(),
      compiles.sum(),
      failedCompiles.sum(),
      notKept.sum(),
      compileNanos.sum(),
      savedNanos.sum()
    };
  }

  /**
   * Adds to a table what has been counted since it was taken last. Called by one thread at a time.
   */
  void takeTo(UsageTable table) {
    long[] now = counts();
    long[] more = new long[now.length];
    boolean any = false;
    for (int i = 0; i < now.length; i++) {
      more[i] = now[i] - taken[i];
      any |= more[i] != 0;
    }
    taken = now;
    if (any) {
      table.add(target, source, more);
    }
  }
}
