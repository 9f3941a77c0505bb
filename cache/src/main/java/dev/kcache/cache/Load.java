// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * A result on its way: a compile that is under way, or one that failed and is remembered for a
 * short while, so that a loop over a broken kernel does not hammer the machine.
 *
 * <p>Safe for use by any number of threads; {@link #succeed} or {@link #fail} is called once.
 */
final class Load {
  private static final Duration FAILURE_REMEMBERED = Duration.ofSeconds(5);

  private final CompletableFuture<Resolved> future = new CompletableFuture<>();
  private final LongSupplier nanoTime;
  private volatile long failedAt;
  private volatile boolean failed;

  Load(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Returns a future of the caller's own: cancelling it leaves the load alone. */
  CompletableFuture<Resolved> result() {
    return future.copy();
  }

  void succeed(Resolved resolved) {
    future.complete(resolved);
  }

  void fail(Throwable failure) {
    failedAt = nanoTime.getAsLong();
    failed = true;
    future.completeExceptionally(failure);
  }

  /** Returns whether it failed so long ago that another one is due. */
  boolean isForgotten() {
    return failed && nanoTime.getAsLong() - failedAt >= FAILURE_REMEMBERED.toNanos();
  }
}
