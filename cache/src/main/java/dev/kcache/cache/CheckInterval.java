// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Says how long what was checked goes without being checked again: as long as the number of the
 * interval in which that was done is still the current one.
 *
 * <p>An interval begins with the first check in it and ends two seconds later, or when something
 * checked turns out to be wrong. To compare two numbers costs a hit less than to read a clock. No
 * timer runs before something is checked a second time, nor while nothing is checked.
 *
 * <p>Safe for use by any number of threads.
 */
final class CheckInterval {
  private static final int SECONDS = 2;

  private final @Nullable Executor later;
  private final AtomicBoolean begun = new AtomicBoolean();
  private volatile boolean used;
  private volatile int number;

  /** Creates intervals that are timed by a thread of the Java runtime's own. */
  CheckInterval() {
    later = null;
  }

  /**
   * Creates intervals.
   *
   * @param later runs what it is given when an interval that begins now has to end
   */
  CheckInterval(Executor later) {
    this.later = later;
  }

  /** Returns the number of the current interval; it is no other's of this object. */
  int current() {
    return number;
  }

  /**
   * Returns the number of an interval that has begun, to who is about to check something. The first
   * one is over when somebody else asks: many processes check once, and need no timer.
   */
  int begin() {
    if (!used) {
      used = true;
      return next();
    }
    if (!begun.get() && begun.compareAndSet(false, true)) {
      end();
      try {
        (later != null ? later : timer()).execute(this::timeIsUp);
      } catch (RuntimeException | Error e) {
        // No thread to be had: then each check is the first of its interval.
        begun.set(false);
        throw e;
      }
    }
    return number;
  }

  /** Ends the current interval: everything is to be checked again. */
  void end() {
    var unused = next();
  }

  private synchronized int next() {
    return ++number;
  }

  private static Executor timer() {
    return CompletableFuture.delayedExecutor(SECONDS, TimeUnit.SECONDS, Runnable::run);
  }

  private void timeIsUp() {
    begun.set(false);
    end();
  }
}
