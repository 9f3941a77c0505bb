// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.callback;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs a caller's code: completes the futures that a manager returned, which runs their callbacks,
 * and calls listeners. Such code may wait for the manager, so it never runs on a thread that the
 * manager waits for, and there is a thread for each task that cannot wait.
 *
 * <p>A caller's executor may be slow, full, the submitting thread itself, or broken. So it is
 * called on a thread of our own, and a task that it refuses runs there. Only where no thread can be
 * made, or after {@link #close}, a task runs on the thread that submits it.
 *
 * <p>Safe for use by any number of threads, which are daemons, made when needed and let go when
 * idle.
 */
public final class CallbackExecutor implements Executor, AutoCloseable {
  private static final Duration IDLE = Duration.ofSeconds(10);

  private final @Nullable Executor chosen;
  private final AtomicBoolean warned = new AtomicBoolean();
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE.toSeconds(),
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          CallbackExecutor::thread);

  /** Runs tasks on {@code chosen}; on threads of its own if that is null. */
  public CallbackExecutor(@Nullable Executor chosen) {
    this.chosen = chosen;
  }

  /** Returns a future with the same result, which this completes: one of the caller's own. */
  public <T> CompletableFuture<T> deliver(CompletableFuture<T> result) {
    return result.whenCompleteAsync((value, failure) -> {}, this);
  }

  /** Has a task run once; never throws. The task must not throw either. */
  @Override
  public void execute(Runnable task) {
    onOwnThread(chosen == null ? task : () -> handOver(chosen, task));
  }

  /** As {@link #execute}, but not on the caller's executor. */
  public void onOwnThread(Runnable task) {
    try {
      threads.execute(task);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      task.run();
    }
  }

  private void handOver(Executor executor, Runnable task) {
    FutureTask<Void> once = new FutureTask<>(task, null);
    try {
      executor.execute(once);
    } catch (RuntimeException | Error e) {
      if (warned.compareAndSet(false, true)) {
        System.getLogger(CallbackExecutor.class.getName())
            .log(Level.WARNING, "the executor refuses callbacks; threads of kcache run them", e);
      }
      once.run();
    }
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "kcache-callback");
    thread.setDaemon(true);
    return thread;
  }

  /** Lets idle threads go; waits for nothing. */
  @Override
  public void close() {
    threads.shutdown();
  }
}
