// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Waits for the answers of remotes, while no more than so many requests are under way.
 *
 * @param inFlight has a permit for each
 * @param deadline how long to wait for a permit
 */
record Asking(Semaphore inFlight, Duration deadline) {
  /** Returns the answer; empty if there is none, which was told where it failed. */
  <T> Optional<T> answer(Supplier<CompletableFuture<T>> request) throws InterruptedException {
    if (!inFlight.tryAcquire(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
      return Optional.empty();
    }
    try {
      return Optional.of(request.get().get());
    } catch (ExecutionException | CancellationException e) {
      return Optional.empty();
    } finally {
      inFlight.release();
    }
  }
}
