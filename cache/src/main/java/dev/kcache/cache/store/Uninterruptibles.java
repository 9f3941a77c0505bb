// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs work on a {@link LockFile}, whose channel an interrupt would close for all. */
final class Uninterruptibles {
  private Uninterruptibles() {}

  /** Work on files. */
  interface Work {
    void run() throws IOException;
  }

  /**
   * Runs the work on a thread of its own and waits for it, interrupted or not; keeps the interrupt
   * flag. The wait is bounded, since a file server may never answer.
   *
   * @throws IOException if the work throws it or takes longer, or no thread can be started
   */
  static void run(Work work, Duration atMost) throws IOException {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              work.run();
              return null;
            });
    try {
      start(task);
      await(task, System.nanoTime() + atMost.toNanos());
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("the file system does not answer within " + atMost.toSeconds() + " s");
    } catch (OutOfMemoryError e) {
      throw new IOException("there is no thread for it", e);
    }
  }

  private static void await(FutureTask<Void> task, long end)
      throws ExecutionException, TimeoutException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          task.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "kcache-usage");
    thread.setDaemon(true);
    thread.start();
  }
}
