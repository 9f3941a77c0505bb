// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs what uses the channel of a {@link LockFile}, which an interrupt would close for all. */
final class Uninterruptibles {
  private Uninterruptibles() {}

  /** Work on files. */
  interface Work {
    void run() throws IOException;
  }

  /**
   * Does the work on a thread of its own; waits for it, also if this thread is interrupted, whose
   * flag is then set. A file server may never answer, so it does not wait for ever.
   *
   * @throws IOException if the work throws it, takes longer, or there is no thread for it
   */
  static void run(Work work, Duration atMost) throws IOException {
    FutureTask<Boolean> task =
        new FutureTask<>(
            () -> {
              work.run();
              return true;
            });
    start(task);
    long end = System.nanoTime() + atMost.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          boolean unused = task.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (TimeoutException e) {
          throw new IOException(
              "the file system does not answer within " + atMost.toSeconds() + " s");
        } catch (ExecutionException e) {
          throw e.getCause() instanceof IOException failure
              ? failure
              : new IOException(e.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void start(Runnable task) throws IOException {
    Thread thread = new Thread(task, "kcache-usage");
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      throw new IOException("there is no thread for it", e);
    }
  }
}
