// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.CodeObject;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A result that memory holds, with the answers that it gives, made once so that a hit makes none.
 *
 * <p>Safe for use by any number of threads.
 */
final class Held {
  private final Resolved resolved;
  private final CacheResult result;
  private final CodeObject codeObject;
  private final Optional<CodeObject> present;
  private final AtomicInteger checkedIn;
  private final HitCounter hits;

  /** Holds a result that was found to be current in the interval with that number. */
  Held(Resolved resolved, int interval) {
    this.resolved = resolved;
    this.result = resolved.result(CacheResult.Origin.MEMORY);
    this.codeObject = result.codeObject();
    this.present = Optional.of(codeObject);
    this.hits = resolved.tally().memoryHits();
    this.checkedIn = new AtomicInteger(interval);
  }

  Resolved resolved() {
    return resolved;
  }

  /** Counts a hit of it. */
  void hit() {
    hits.increment();
  }

  CacheResult result() {
    return result;
  }

  CodeObject codeObject() {
    return codeObject;
  }

  /** Returns {@link #codeObject} as what may be absent. */
  Optional<CodeObject> present() {
    return present;
  }

  /** Returns what it counts for against the limit of the memory, in bytes. */
  int weight() {
    return codeObject.size();
  }

  /** Returns the number of the last interval in which somebody checked it, or is about to. */
  int checkedIn() {
    return checkedIn.get();
  }

  /** Returns whether a caller has to check it in this interval; of several at once, one. */
  boolean isCheckDue(int interval) {
    int checked = checkedIn.get();
    return checked != interval && checkedIn.compareAndSet(checked, interval);
  }
}
