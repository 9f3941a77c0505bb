// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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
  /** Work whose end somebody may wait for. */
  interface Work extends Runnable {
    /** Called instead of {@link #run} if the threads end before its turn comes. */
    void abandon();
  }

  private static final class Lookup<T> implements Work {
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Supplier<T> task;

    Lookup(Supplier<T> task) {
      this.task = task;
    }

    @Override
    public void run() {
      try {
        result.complete(task.get());
      } catch (Throwable e) {
        result.completeExceptionally(e);
      }
    }

    @Override
    public void abandon() {
      result.completeExceptionally(closed(null));
    }
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
  private @Nullable ThreadPoolExecutor compiles;
  private @Nullable ThreadPoolExecutor lookups;
  private volatile boolean closed;

  Workers(int parallelism) {
    this.parallelism = parallelism;
  }

  /**
   * Returns the threads that compile; the calling thread if it is such a thread of any manager.
   *
   * @throws RejectedExecutionException if closed
   */
  synchronized Executor compiles() {
    ensureOpen();
    if (Thread.currentThread() instanceof Worker worker && worker.compiles) {
      return Runnable::run;
    }
    if (compiles == null) {
      compiles = pool("kcache-compile", true);
    }
    return compiles;
  }

  /**
   * Returns what a task will find, on one of the threads that look things up.
   *
   * @throws RejectedExecutionException if closed
   */
  <T> CompletableFuture<T> lookUp(Supplier<T> task) {
    Lookup<T> lookup = new Lookup<>(task);
    lookups().execute(lookup);
    return lookup.result;
  }

  private synchronized Executor lookups() {
    ensureOpen();
    if (lookups == null) {
      lookups = pool("kcache-lookup", false);
    }
    return lookups;
  }

  /** Returns what those get who waited for work that was abandoned. */
  static IllegalStateException closed(@Nullable Throwable cause) {
    return new IllegalStateException("the cache manager was closed", cause);
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Interrupts what runs, abandons what waits, and returns when it has ended or after a while; at
   * once on one of these threads.
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
      for (Runnable waiting : pool.shutdownNow()) {
        if (waiting instanceof Work work) {
          work.abandon();
        }
      }
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
