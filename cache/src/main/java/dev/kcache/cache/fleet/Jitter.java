// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * Spreads in time what many machines would otherwise do at once. Safe for use by any number of
 * threads.
 *
 * @param random returns numbers from 0 (inclusive) to 1 (exclusive)
 * @param timer runs what is to be done later
 */
public record Jitter(DoubleSupplier random, Timer timer) {
  /** That of managers, unless a test has its own. */
  public static final Jitter DEFAULT =
      new Jitter(
          () -> ThreadLocalRandom.current().nextDouble(),
          (delay, task) ->
              CompletableFuture.delayedExecutor(
                      delay.toNanos(), TimeUnit.NANOSECONDS, Runnable::run)
                  .execute(task));

  private static final double SHORTEST_DELAY_MILLIS = 50;
  private static final double LONGEST_DELAY_MILLIS = 250;
  private static final double SHORTEST_PAUSE = 0.75;
  private static final double LONGEST_PAUSE = 1.25;

  /** Runs tasks later. */
  public interface Timer {
    /** Runs a task, which does not block, after a delay; returns at once. */
    void after(Duration delay, Runnable task);
  }

  /** Returns a pause of about that length, between three and five quarters of it. */
  long pause(long nanos) {
    return (long) (nanos * between(SHORTEST_PAUSE, LONGEST_PAUSE));
  }

  /** Repeats a request, which does not block, after 50 to 250 ms. */
  void repeat(Runnable request) {
    double millis = between(SHORTEST_DELAY_MILLIS, LONGEST_DELAY_MILLIS);
    timer.after(Duration.ofMillis((long) millis), request);
  }

  private double between(double least, double most) {
    return least + random.getAsDouble() * (most - least);
  }
}
