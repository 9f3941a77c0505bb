// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.kcache.codeobject.Digest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a manager has in memory: code objects, weighed by their bytes, the compiles under way, and
 * for a short while the compiles that failed, so that a loop over a broken kernel does not hammer
 * the machine.
 *
 * <p>Safe for use by any number of threads. At most one load per key is under way; nobody who asks
 * for another key waits for it.
 */
final class MemoryTier {
  private static final Duration FAILURE_REMEMBERED = Duration.ofSeconds(5);

  /** How long a code object is served before the toolchain's files are looked at again. */
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(2);

  private final Ticker ticker;
  private final AsyncCache<RequestKey, Outcome> outcomes;

  MemoryTier(long maximumBytes, Ticker ticker) {
    this.ticker = ticker;
    this.outcomes =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .ticker(ticker)
            .maximumWeight(maximumBytes)
            .weigher((RequestKey key, Outcome outcome) -> outcome.weight())
            .expireAfter(Expiry.creating((RequestKey key, Outcome outcome) -> outcome.remembered()))
            .buildAsync();
  }

  /** How a load ended. */
  private interface Outcome {
    int weight();

    Duration remembered();

    Resolved get();
  }

  private final class Success implements Outcome {
    private final Resolved resolved;
    private final AtomicLong checkAt;

    Success(Resolved resolved) {
      this.resolved = resolved;
      this.checkAt = new AtomicLong(ticker.read() + CHECK_INTERVAL.toNanos());
    }

    /** Returns whether a caller has to check now; of several at once, one. */
    boolean isCheckDue() {
      long due = checkAt.get();
      long now = ticker.read();
      return now - due >= 0 && checkAt.compareAndSet(due, now + CHECK_INTERVAL.toNanos());
    }

    @Override
    public int weight() {
      return resolved.stored().codeObject().size();
    }

    @Override
    public Duration remembered() {
      return Duration.ofNanos(Long.MAX_VALUE);
    }

    @Override
    public Resolved get() {
      return resolved;
    }
  }

  private record Failure(RuntimeException exception) implements Outcome {
    @Override
    public int weight() {
      return 0;
    }

    @Override
    public Duration remembered() {
      return exception instanceof CompilationException ? FAILURE_REMEMBERED : Duration.ZERO;
    }

    @Override
    public Resolved get() {
      throw exception;
    }
  }

  /** Loads a result; may be interrupted. */
  interface Loader {
    Resolved load() throws InterruptedException;
  }

  /**
   * Returns what memory has, or null; {@code isCurrent} is asked at most once an interval, and what
   * it denies is dropped.
   */
  @Nullable Resolved getIfPresent(RequestKey key, Function<CacheEntry, Boolean> isCurrent) {
    CompletableFuture<Outcome> future = outcomes.getIfPresent(key);
    if (future == null || !future.isDone() || future.isCompletedExceptionally()) {
      return null;
    }
    if (!(future.join() instanceof Success success)) {
      return null;
    }
    if (key.toolchain() != null
        && success.isCheckDue()
        && !isCurrent.apply(success.get().stored().entry())) {
      outcomes.asMap().remove(key, future);
      return null;
    }
    return success.get();
  }

  /** Drops a code object, but not what took its place meanwhile or is about to. */
  void remove(RequestKey key, Digest codeObject) {
    CompletableFuture<Outcome> future = outcomes.getIfPresent(key);
    if (future != null
        && future.isDone()
        && !future.isCompletedExceptionally()
        && future.join() instanceof Success success
        && success.get().stored().codeObject().digest().equals(codeObject)) {
      outcomes.asMap().remove(key, future);
    }
  }

  /** Puts what another tier had. */
  void put(RequestKey key, Resolved resolved) {
    outcomes.put(key, CompletableFuture.completedFuture(new Success(resolved)));
  }

  /**
   * Returns what memory has or is loading, else starts {@code loader} on {@code executor}. The
   * future is the caller's own: cancelling it leaves the load alone.
   */
  CompletableFuture<Resolved> get(RequestKey key, Loader loader, Executor executor) {
    return outcomes
        .get(key, (k, unused) -> CompletableFuture.supplyAsync(() -> outcome(loader), executor))
        .thenApply(Outcome::get);
  }

  private Outcome outcome(Loader loader) {
    try {
      return new Success(loader.load());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Failure(new IllegalStateException("the cache manager was closed", e));
    } catch (RuntimeException e) {
      return new Failure(e);
    }
  }
}
