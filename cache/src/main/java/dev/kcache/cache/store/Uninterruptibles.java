// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
    try {
      // Unlike get, join goes on waiting when this thread is interrupted.
      CompletableFuture.runAsync(() -> runUnchecked(work), Uninterruptibles::start)
          .orTimeout(atMost.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof TimeoutException) {
        throw new IOException(
            "the file system does not answer within " + atMost.toSeconds() + " s");
      }
      throw e.getCause() instanceof UncheckedIOException failure
          ? failure.getCause()
          : new IOException(e.getCause());
    } catch (OutOfMemoryError e) {
      throw new IOException("there is no thread for it", e);
    }
  }

  private static void runUnchecked(Work work) {
    try {
      work.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "kcache-usage");
    thread.setDaemon(true);
    thread.start();
  }
}
