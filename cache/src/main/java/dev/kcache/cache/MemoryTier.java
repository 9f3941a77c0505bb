// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The results of a manager in memory, weighed by their bytes, with the compiles under way and, for
 * a short while, the compiles that failed, so that a loop over a broken kernel does not hammer the
 * machine. A result stays until it is evicted or removed: it is not checked again.
 *
 * <p>A tier without room keeps only the compiles under way, and does not load Caffeine.
 *
 * <p>Safe for use by any number of threads. At most one load per key is under way; requests for
 * other keys do not wait for it.
 */
final class MemoryTier {
  private static final Duration FAILURE_REMEMBERED = Duration.ofSeconds(5);
  private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

  private final boolean keeps;
  private final ConcurrentMap<Key, CompletableFuture<Outcome>> outcomes;

  /**
   * What a result is asked for by.
   *
   * @param secondChance whether it is generic code, which serves the target only where no compiler
   *     makes the target's own
   */
  record Key(Digest source, TargetId target, boolean secondChance) {}

  /** A result or a failure; a value either way, since Caffeine logs futures that fail. */
  private record Outcome(@Nullable CacheResult result, @Nullable Throwable failure) {
    CompletableFuture<CacheResult> future() {
      return failure != null
          ? CompletableFuture.failedFuture(failure)
          : CompletableFuture.completedFuture(result);
    }

    int weight() {
      return result == null ? 0 : result.codeObject().size();
    }

    Duration life() {
      return failure == null ? FOR_EVER : FAILURE_REMEMBERED;
    }
  }

  MemoryTier(long maximumBytes, LongSupplier nanoTime) {
    keeps = maximumBytes > 0;
    outcomes = keeps ? evicting(maximumBytes, nanoTime) : new ConcurrentHashMap<>();
  }

  private static ConcurrentMap<Key, CompletableFuture<Outcome>> evicting(
      long maximumBytes, LongSupplier nanoTime) {
    return Caffeine.newBuilder()
        .executor(Runnable::run)
        .ticker(nanoTime::getAsLong)
        .maximumWeight(maximumBytes)
        .weigher((Key key, Outcome outcome) -> outcome.weight())
        .expireAfter(Expiry.creating((Key key, Outcome outcome) -> outcome.life()))
        .<Key, Outcome>buildAsync()
        .asMap();
  }

  /** Returns the result that memory has, or null; waits for no load. */
  @Nullable CacheResult getIfPresent(Key key) {
    return held(outcomes.get(key));
  }

  private static @Nullable CacheResult held(@Nullable CompletableFuture<Outcome> known) {
    return known != null && known.isDone() ? known.join().result() : null;
  }

  /** Puts what another tier had, if there is room. */
  void put(Key key, CacheResult result) {
    if (keeps) {
      outcomes.put(key, CompletableFuture.completedFuture(new Outcome(result, null)));
    }
  }

  /** Drops a source's code object, but not what took its place meanwhile or is about to. */
  void remove(Digest source, Digest codeObject) {
    outcomes.forEach(
        (key, known) -> {
          CacheResult held = key.source().equals(source) ? held(known) : null;
          if (held != null && held.codeObject().digest().equals(codeObject)) {
            outcomes.remove(key, known);
          }
        });
  }

  /**
   * Returns what memory has or is loading, else starts {@code load}, whose exceptions it throws.
   * The future is the caller's own: cancelling it leaves the load alone.
   */
  CompletableFuture<CacheResult> get(Key key, Supplier<CompletableFuture<CacheResult>> load) {
    CompletableFuture<Outcome> mine = new CompletableFuture<>();
    CompletableFuture<Outcome> others = outcomes.putIfAbsent(key, mine);
    if (others != null) {
      return others.thenCompose(Outcome::future);
    }
    try {
      var unused = load.get().whenComplete((result, thrown) -> end(key, mine, result, thrown));
    } catch (RuntimeException | Error e) {
      // Not only a pool that is closed: a new thread may be one too many for the machine.
      end(key, mine, null, e);
      throw e;
    }
    return mine.thenCompose(Outcome::future);
  }

  /** A result that is not to be remembered is dropped before the future completes. */
  private void end(
      Key key,
      CompletableFuture<Outcome> load,
      @Nullable CacheResult result,
      @Nullable Throwable thrown) {
    Throwable failure =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    boolean remembered = failure == null || failure instanceof CompilationException;
    if (!keeps || !remembered) {
      outcomes.remove(key, load);
    }
    load.complete(new Outcome(result, failure));
  }
}
