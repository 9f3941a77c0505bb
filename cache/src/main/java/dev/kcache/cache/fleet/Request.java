// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A request of a remote until it has an answer: sent once, and once more, after a short while, if
 * it fails soon. Safe for use by any number of threads.
 *
 * @param <T> the answer
 */
final class Request<T> {
  private final Supplier<CompletableFuture<T>> store;
  private final Jitter jitter;
  private final BooleanSupplier isWorthRepeating;
  private final CompletableFuture<T> answer = new CompletableFuture<>();
  private volatile CompletableFuture<T> underWay = new CompletableFuture<>();

  /**
   * Creates a request, which is not sent yet.
   *
   * @param store sends it
   * @param isWorthRepeating asked when it has failed, and again before it is repeated
   */
  Request(Supplier<CompletableFuture<T>> store, Jitter jitter, BooleanSupplier isWorthRepeating) {
    this.store = store;
    this.jitter = jitter;
    this.isWorthRepeating = isWorthRepeating;
  }

  /**
   * Returns whether less than half of a deadline has passed since this call: what takes half a
   * deadline to fail would take as long again, since engines have time-outs, too.
   */
  static BooleanSupplier soon(LongSupplier nanoTime, Duration deadline) {
    long begin = nanoTime.getAsLong();
    return () -> nanoTime.getAsLong() - begin < deadline.toNanos() / 2;
  }

  /** Returns the answer, which others may give, too. */
  CompletableFuture<T> answer() {
    return answer;
  }

  /** Sends it; the answer comes or fails within a limit, which is for both tries. */
  CompletableFuture<T> send(Duration limit) {
    send(false);
    var unused =
        answer
            .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete(
                (value, failure) -> {
                  if (failure != null) {
                    underWay.cancel(false);
                  }
                });
    return answer;
  }

  private void send(boolean isRepeat) {
    CompletableFuture<T> sent = sent();
    underWay = sent;
    if (answer.isDone()) {
      sent.cancel(false);
    }
    var unused =
        sent.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                answer.complete(value);
              } else if (isRepeat || !isPassing(failure)) {
                answer.completeExceptionally(failure);
              } else {
                jitter.repeat(() -> repeat(failure));
              }
            });
  }

  private CompletableFuture<T> sent() {
    try {
      return store.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void repeat(Throwable failure) {
    if (isPassing(failure)) {
      send(true);
    } else {
      answer.completeExceptionally(failure);
    }
  }

  /** What a store can't do it can't do the next time. */
  private boolean isPassing(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return !(cause instanceof UnsupportedOperationException)
        && !answer.isDone()
        && isWorthRepeating.getAsBoolean();
  }
}
