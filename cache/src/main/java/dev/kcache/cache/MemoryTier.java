// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.CompilationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a manager has in memory: code objects, weighed by their bytes, the compiles under way, and
 * for a short while the compiles that failed.
 *
 * <p>Caffeine decides what has to go, and comes in when something has to: its classes cost a short
 * process more than everything else that it does.
 *
 * <p>Safe for use by any number of threads. At most one load per key is under way; nobody who asks
 * for another key waits for it. A load is counted as ended only when its result can be found, and
 * who registers another one looks for a result first: so what is held is not loaded again.
 */
final class MemoryTier {
  private final long maximumBytes;
  private final CheckInterval interval;
  private final LongSupplier nanoTime;
  private final ConcurrentHashMap<RequestKey, Load> loads = new ConcurrentHashMap<>();
  private volatile HeldResults results = new FittingResults();

  MemoryTier(long maximumBytes, CheckInterval interval, LongSupplier nanoTime) {
    this.maximumBytes = maximumBytes;
    this.interval = interval;
    this.nanoTime = nanoTime;
  }

  /** Loads a result; may be interrupted. */
  interface Loader {
    Resolved load() throws InterruptedException;
  }

  /**
   * Returns what memory has, or null; {@code isCurrent} is asked at most once an interval, and what
   * it denies is dropped.
   */
  @Nullable Held getIfPresent(RequestKey key, Predicate<CacheEntry> isCurrent) {
    if (results.get(key) == null) {
      return null;
    }
    // Before it is taken: what is removed after that ends the interval.
    int number = interval.begin();
    Held held = results.get(key);
    if (held != null
        && held.isCheckDue(number)
        && key.toolchain() != null
        && !isCurrent.test(held.resolved().stored().entry())) {
      remove(key, held);
      return null;
    }
    return held;
  }

  /** Drops a code object, but not what took its place meanwhile or is about to. */
  void remove(RequestKey key, Digest codeObject) {
    Held held = results.get(key);
    if (held != null && held.codeObject().digest().equals(codeObject)) {
      remove(key, held);
    }
  }

  /** Puts what another tier had, if it fits at all. */
  synchronized void put(RequestKey key, Resolved resolved) {
    Held held = new Held(resolved, interval.current());
    if (held.weight() > maximumBytes) {
      return;
    }
    if (results instanceof FittingResults fitting
        && fitting.bytes() + held.weight() > maximumBytes) {
      results = fitting.limitedTo(maximumBytes);
    }
    results.put(key, held);
  }

  /** What was remembered of it outside is not to be believed either. */
  private synchronized void remove(RequestKey key, Held held) {
    results.remove(key, held);
    interval.end();
  }

  /**
   * Returns what memory has or is loading, else starts {@code loader} on {@code executor}. The
   * future is the caller's own: cancelling it leaves the load alone.
   *
   * @throws RejectedExecutionException if the executor takes no more
   */
  CompletableFuture<Resolved> get(RequestKey key, Loader loader, Executor executor) {
    Load mine = new Load(nanoTime);
    Load load =
        loads.compute(key, (same, other) -> other == null || other.isForgotten() ? mine : other);
    if (load == mine) {
      start(key, mine, loader, executor);
    }
    return load.result();
  }

  private void start(RequestKey key, Load load, Loader loader, Executor executor) {
    Held held = results.get(key);
    if (held != null) {
      loads.remove(key, load);
      load.succeed(held.resolved());
      return;
    }
    try {
      executor.execute(new Loading(key, load, loader));
    } catch (RuntimeException | Error e) {
      // Not only a pool that is closed: a new thread may be one too many for the machine.
      loads.remove(key, load);
      load.fail(e);
      throw e;
    }
  }

  /** A load that has its turn, or will never have it. */
  private final class Loading implements Workers.Work {
    private final RequestKey key;
    private final Load load;
    private final Loader loader;

    Loading(RequestKey key, Load load, Loader loader) {
      this.key = key;
      this.load = load;
      this.loader = loader;
    }

    @Override
    public void run() {
      MemoryTier.this.run(key, load, loader);
    }

    @Override
    public void abandon() {
      loads.remove(key, load);
      load.fail(Workers.closed(null));
    }
  }

  private void run(RequestKey key, Load load, Loader loader) {
    try {
      Resolved resolved = loader.load();
      put(key, resolved);
      loads.remove(key, load);
      load.succeed(resolved);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      loads.remove(key, load);
      load.fail(Workers.closed(e));
    } catch (CompilationException e) {
      load.fail(e);
      loads.values().removeIf(Load::isForgotten);
    } catch (Throwable e) {
      loads.remove(key, load);
      load.fail(e);
    }
  }
}
