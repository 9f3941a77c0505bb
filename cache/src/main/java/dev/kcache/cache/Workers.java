// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A manager's threads: some that compile, and others for lookups, which must not queue behind
 * compiles. All are daemons, made when needed and let go when idle.
 */
final class Workers implements AutoCloseable {
  private static final Duration IDLE = Duration.ofSeconds(10);

  /** Longer than it takes to kill a compiler and remove what it left. */
  private static final Duration CLOSING = Duration.ofSeconds(10);

  private final ThreadPoolExecutor compiles;
  private final ThreadPoolExecutor lookups;

  Workers(int parallelism) {
    compiles = pool("kcache-compile", parallelism);
    lookups = pool("kcache-lookup", parallelism);
  }

  Executor compiles() {
    return compiles;
  }

  Executor lookups() {
    return lookups;
  }

  boolean isClosed() {
    return compiles.isShutdown();
  }

  /** Interrupts what runs, drops what waits, and returns when it has ended or after a while. */
  @Override
  public void close() {
    lookups.shutdownNow();
    compiles.shutdownNow();
    boolean interrupted = Thread.interrupted();
    try {
      lookups.awaitTermination(CLOSING.toSeconds(), TimeUnit.SECONDS);
      compiles.awaitTermination(CLOSING.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static ThreadPoolExecutor pool(String name, int threads) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
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
