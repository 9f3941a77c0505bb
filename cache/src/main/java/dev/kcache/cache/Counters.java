// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** What a manager counts. Safe for use by any number of threads; never a point of contention. */
final class Counters {
  private final LongAdder memoryHits = new LongAdder();
  private final LongAdder diskHits = new LongAdder();
  private final LongAdder compiles = new LongAdder();
  private final LongAdder failedCompiles = new LongAdder();
  private final LongAdder notKept = new LongAdder();
  private final LongAdder compileNanos = new LongAdder();
  private final LongAdder savedNanos = new LongAdder();

  void memoryHit() {
    memoryHits.increment();
  }

  void diskHit(Duration saved) {
    diskHits.increment();
    savedNanos.add(saved.toNanos());
  }

  void compiled(Duration elapsed, boolean succeeded) {
    (succeeded ? compiles : failedCompiles).increment();
    compileNanos.add(elapsed.toNanos());
  }

  void notKept() {
    notKept.increment();
  }

  CacheStatistics snapshot(long quarantined) {
    return new CacheStatistics(
        memoryHits.sum(),
        diskHits.sum(),
        compiles.sum(),
        failedCompiles.sum(),
        notKept.sum(),
        quarantined,
        Duration.ofNanos(compileNanos.sum()),
        Duration.ofNanos(savedNanos.sum()));
  }
}
