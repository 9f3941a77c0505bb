// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A manager's threads: some that compile, and others for lookups, which must not queue behind
 * compiles. All are daemons, made when needed and let go when idle; a process that only has hits
 * does not even load what manages them.
 *
 * <p>They are few, and others wait for them, so they never run callbacks or listeners. A toolchain
 * may call a cache from one that compiles: that is compiled inline, since all of them may be where
 * it is.
 */
final class Workers implements AutoCloseable {
  /** A compile; may be interrupted. */
  interface Compile<T> {
    T run() throws InterruptedException;
  }

  /** One of the threads of a manager. */
  private static final class Worker extends Thread {
    private final Workers group;
    private final boolean compiles;

    Worker(Workers group, boolean compiles, Runnable task, String name) {
      super(task, name);
      this.group = group;
      this.compiles = compiles;
      setDaemon(true);
    }
  }

  private static final Duration IDLE = Duration.ofSeconds(10);

  /** Longer than it takes to kill a compiler and remove what it left. */
  private static final Duration CLOSING = Duration.ofSeconds(10);

  private final int parallelism;
  private final Set<CompletableFuture<?>> unfinished = ConcurrentHashMap.newKeySet();
  private @Nullable ThreadPoolExecutor compiles;
  private @Nullable ThreadPoolExecutor lookups;
  private volatile boolean closed;

  Workers(int parallelism) {
    this.parallelism = parallelism;
  }

  /**
   * Compiles on one of the threads for it; on the calling thread if that is such a thread of any
   * manager.
   *
   * @throws RejectedExecutionException if closed
   */
  <T> CompletableFuture<T> compile(Compile<T> compile) {
    boolean inline = Thread.currentThread() instanceof Worker worker && worker.compiles;
    return submit(() -> uninterrupted(compile), inline ? Runnable::run : compiles());
  }

  /**
   * Runs a task on one of the threads that look things up.
   *
   * @throws RejectedExecutionException if closed
   */
  <T> CompletableFuture<T> lookUp(Supplier<T> task) {
    return submit(task, lookups());
  }

  @SuppressWarnings("CollectionUndefinedEquality") // A CompletableFuture equals only itself.
  private <T> CompletableFuture<T> submit(Supplier<T> task, Executor executor) {
    ensureOpen();
    CompletableFuture<T> result = CompletableFuture.supplyAsync(task, executor);
    unfinished.add(result);
    var unused = result.whenComplete((value, failure) -> unfinished.remove(result));
    if (closed) {
      result.completeExceptionally(closed(null));
    }
    return result;
  }

  /** Only {@link #close} interrupts these threads. */
  private static <T> T uninterrupted(Compile<T> compile) {
    try {
      return compile.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw closed(e);
    }
  }

  private synchronized Executor compiles() {
    ensureOpen();
    if (compiles == null) {
      compiles = pool("kcache-compile", true);
    }
    return compiles;
  }

  private synchronized Executor lookups() {
    ensureOpen();
    if (lookups == null) {
      lookups = pool("kcache-lookup", false);
    }
    return lookups;
  }

  private static IllegalStateException closed(@Nullable Throwable cause) {
    return new IllegalStateException("the cache manager was closed", cause);
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Interrupts what runs, fails what has not ended, and returns when the threads have ended or
   * after a while; at once on one of these threads.
   */
  @Override
  public void close() {
    ThreadPoolExecutor first;
    ThreadPoolExecutor second;
    synchronized (this) {
      closed = true;
      first = lookups;
      second = compiles;
    }
    end(first);
    end(second);
    unfinished.forEach(task -> task.completeExceptionally(closed(null)));
    if (Thread.currentThread() instanceof Worker worker && worker.group == this) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      await(first);
      await(second);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void ensureOpen() {
    if (closed) {
      throw new RejectedExecutionException("closed");
    }
  }

  private static void end(@Nullable ThreadPoolExecutor pool) {
    if (pool != null) {
      pool.shutdownNow();
    }
  }

  private static void await(@Nullable ThreadPoolExecutor pool) throws InterruptedException {
    if (pool != null && !pool.awaitTermination(CLOSING.toSeconds(), TimeUnit.SECONDS)) {
      System.getLogger(Workers.class.getName())
          .log(System.Logger.Level.DEBUG, "threads of a closed cache manager still run");
    }
  }

  private ThreadPoolExecutor pool(String name, boolean compiling) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            parallelism,
            parallelism,
            IDLE.toSeconds(),
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> new Worker(this, compiling, task, name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
