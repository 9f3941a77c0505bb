// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A manager's threads: some that compile, and others for lookups, which must not queue behind
 * compiles. All are daemons, made when needed and let go when idle; a process that only has hits
 * does not even load what manages them.
 */
final class Workers implements AutoCloseable {
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
   * Returns the threads that compile.
   *
   * @throws RejectedExecutionException if closed
   */
  synchronized Executor compiles() {
    ensureOpen();
    if (compiles == null) {
      compiles = pool("kcache-compile");
    }
    return compiles;
  }

  /**
   * Returns the threads that look things up.
   *
   * @throws RejectedExecutionException if closed
   */
  synchronized Executor lookups() {
    ensureOpen();
    if (lookups == null) {
      lookups = pool("kcache-lookup");
    }
    return lookups;
  }

  boolean isClosed() {
    return closed;
  }

  /** Interrupts what runs, drops what waits, and returns when it has ended or after a while. */
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

  private ThreadPoolExecutor pool(String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            parallelism,
            parallelism,
            IDLE.toSeconds(),
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
