// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Runs what uses the channel of a {@link LockFile}, which an interrupt would close for all. */
final class Uninterrupted {
  private Uninterrupted() {}

  /** Work on files. */
  interface Work {
    void run() throws IOException;
  }

  /**
   * Does the work on a thread of its own; waits for it, also if this thread is interrupted, whose
   * flag is then set.
   *
   * @throws IOException if the work throws it
   */
  static void run(Work work) throws IOException {
    FutureTask<Boolean> task =
        new FutureTask<>(
            () -> {
              work.run();
              return true;
            });
    Thread thread = new Thread(task, "kcache-usage");
    thread.setDaemon(true);
    thread.start();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          boolean unused = task.get();
          return;
        } catch (InterruptedException e) {
          interrupted = true;
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
}
