// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import java.util.function.LongSupplier;

/**
 * Leaves alone for a while what has failed. Afterwards one request tries it, and the others go on
 * without it until that one has an answer. Safe for use by any number of threads.
 */
final class Breaker {
  private final LongSupplier pauseNanos;
  private final LongSupplier nanoTime;
  private boolean failed;
  private long nextTry;

  /**
   * Lets all requests pass until something has failed.
   *
   * @param pauseNanos how long to leave it alone, asked anew each time
   */
  Breaker(LongSupplier pauseNanos, LongSupplier nanoTime) {
    this.pauseNanos = pauseNanos;
    this.nanoTime = nanoTime;
  }

  /** Returns whether to ask now. */
  synchronized boolean lets() {
    if (!failed) {
      return true;
    }
    long now = nanoTime.getAsLong();
    if (now - nextTry < 0) {
      return false;
    }
    nextTry = now + pauseNanos.getAsLong();
    return true;
  }

  /** Returns whether it has failed, and nobody has had an answer since. */
  synchronized boolean isOpen() {
    return failed;
  }

  synchronized void answered() {
    failed = false;
  }

  synchronized void failed() {
    failed = true;
    nextTry = nanoTime.getAsLong() + pauseNanos.getAsLong();
  }
}
