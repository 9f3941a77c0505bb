// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A manager's threads: some that compile, and others for lookups, which must not queue behind
 * compiles. All are daemons, made when needed and let go when idle.
 *
 * <p>They are few, and requests wait for them, so they never run callbacks. A toolchain may call a
 * cache while it compiles: that request is compiled inline, since every compile thread may be doing
 * the same. A task runs in the context of the thread that submits it.
 */
final class Workers implements AutoCloseable {
  /** A compile; may be interrupted. */
  interface Compile<T> {
    T run() throws InterruptedException;
  }

  private static final class Worker extends Thread {
    private final Workers group;
    private final boolean compiles;

    /** Of what it has one; only the thread itself looks. */
    private @Nullable Semaphore slot;

    Worker(Workers group, boolean compiles, Runnable task, String name) {
      super(task, name);
      this.group = group;
      this.compiles = compiles;
      setDaemon(true);
    }

    private void giveSlotBack() {
      if (slot != null) {
        slot.release();
        slot = null;
      }
    }
  }

  private static final Duration IDLE = Duration.ofSeconds(10);

  /** Longer than it takes to kill a compiler and remove what it left. */
  private static final Duration CLOSING = Duration.ofSeconds(10);

  /** How many threads may wait for other machines, beside those that compile. */
  static final int MOST_ASIDE = 256;

  private final int parallelism;
  private final Semaphore slots;

  /** For those that have waited, where all slots are taken: one more than otherwise compiles. */
  private final Semaphore extraSlot = new Semaphore(1, true);

  private final Set<CompletableFuture<?>> unfinished = ConcurrentHashMap.newKeySet();
  private final CacheEvents events;
  private final ThreadPoolExecutor compiles;
  private final ThreadPoolExecutor lookups;
  private int aside;

  /**
   * Starts no thread.
   *
   * @param parallelism how many compile at once
   * @param lookingUp how many look up at once
   */
  Workers(int parallelism, int lookingUp, CacheEvents events) {
    this.parallelism = parallelism;
    slots = new Semaphore(parallelism, true);
    this.events = events;
    compiles = pool(parallelism, "kcache-compile", true);
    lookups = pool(lookingUp, "kcache-lookup", false);
  }

  /**
   * Compiles on one of the threads for it; on the calling thread if that is such a thread of any
   * manager.
   *
   * @throws IllegalStateException if closed
   */
  <T> CompletableFuture<T> compile(Compile<T> compile) {
    boolean inline = Thread.currentThread() instanceof Worker worker && worker.compiles;
    return inline
        ? submit(() -> uninterrupted(compile), Runnable::run)
        : submit(() -> uninterrupted(() -> inSlot(compile)), compiles);
  }

  /** There are slots for all threads but those in {@link #aside} and just after it. */
  private <T> T inSlot(Compile<T> compile) throws InterruptedException {
    if (!(Thread.currentThread() instanceof Worker worker)) {
      // A listener's context took it to a thread of its own.
      return compile.run();
    }
    slots.acquire();
    worker.slot = slots;
    try {
      return compile.run();
    } finally {
      worker.giveSlotBack();
    }
  }

  /**
   * Runs what only waits for other machines, within a compile, while another thread compiles in the
   * place of this one.
   *
   * @param instead what is returned, at once, if too many wait
   */
  static <T> T aside(Compile<T> wait, T instead) throws InterruptedException {
    return Thread.currentThread() instanceof Worker worker && worker.slot != null
        ? worker.group.aside(worker, wait, instead)
        : wait.run();
  }

  private <T> T aside(Worker worker, Compile<T> wait, T instead) throws InterruptedException {
    synchronized (this) {
      if (aside == MOST_ASIDE) {
        return instead;
      }
      aside++;
      compiles.setMaximumPoolSize(parallelism + aside);
      compiles.setCorePoolSize(parallelism + aside);
    }
    worker.giveSlotBack();
    try {
      T result = wait.run();
      // It holds a lock, for which the threads in all of the slots may wait.
      Semaphore free = slots.tryAcquire() ? slots : extraSlot;
      if (free == extraSlot) {
        free.acquire();
      }
      worker.slot = free;
      return result;
    } finally {
      synchronized (this) {
        aside--;
        compiles.setCorePoolSize(parallelism + aside);
        compiles.setMaximumPoolSize(parallelism + aside);
      }
    }
  }

  /** Runs a task on one of the threads that look things up; throws as {@link #compile}. */
  <T> CompletableFuture<T> lookUp(Supplier<T> task) {
    return submit(task, lookups);
  }

  @SuppressWarnings("CollectionUndefinedEquality") // A CompletableFuture equals only itself.
  private <T> CompletableFuture<T> submit(Supplier<T> task, Executor executor) {
    ensureOpen();
    CompletableFuture<T> result;
    try {
      Executor context = events.context();
      result =
          CompletableFuture.supplyAsync(task, run -> executor.execute(() -> context.execute(run)));
    } catch (RejectedExecutionException e) {
      throw closed(e);
    }
    unfinished.add(result);
    var unused = result.whenComplete((value, failure) -> unfinished.remove(result));
    if (isClosed()) {
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

  private static IllegalStateException closed(@Nullable Throwable cause) {
    return new IllegalStateException("the cache manager is closed", cause);
  }

  /** Throws an {@link IllegalStateException} if closed. */
  void ensureOpen() {
    if (isClosed()) {
      throw closed(null);
    }
  }

  private boolean isClosed() {
    return compiles.isShutdown();
  }

  /**
   * Interrupts what runs, fails what has not ended, and returns when the threads have ended or
   * after a while; at once on one of these threads.
   */
  @Override
  public void close() {
    compiles.shutdownNow();
    lookups.shutdownNow();
    unfinished.forEach(task -> task.completeExceptionally(closed(null)));
    if (Thread.currentThread() instanceof Worker worker && worker.group == this) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      await(lookups);
      await(compiles);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void await(ThreadPoolExecutor pool) throws InterruptedException {
    if (!pool.awaitTermination(CLOSING.toSeconds(), TimeUnit.SECONDS)) {
      System.getLogger(Workers.class.getName())
          .log(System.Logger.Level.DEBUG, "threads of a closed cache manager still run");
    }
  }

  private ThreadPoolExecutor pool(int size, String name, boolean compiling) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            size,
            size,
            IDLE.toSeconds(),
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> new Worker(this, compiling, task, name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
