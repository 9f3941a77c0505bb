// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.opendal.AsyncOperator;
import org.apache.opendal.Operator;

/**
 * Reads values up to a bound, whatever length the server tells. OpenDAL's reads that do not block
 * take all that is sent; its streams stop, and block. So threads of a store's own wait for them,
 * and at most so many: behind servers that say nothing, others wait until who asks lets them go.
 *
 * <p>Safe for use by any number of threads.
 */
final class BoundedReads implements AutoCloseable {
  /** As many as a cache has requests under way. */
  private static final int THREADS = 64;

  private static final long IDLE_SECONDS = 10;

  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          BoundedReads::daemon);

  BoundedReads() {
    threads.allowCoreThreadTimeOut(true);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "kcache-opendal-read");
    thread.setDaemon(true);
    return thread;
  }

  /** Returns a value; of a longer one, one byte more than the bound. */
  CompletableFuture<byte[]> read(AsyncOperator values, String name, int maxBytes) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Operator open = values.blocking();
              InputStream in = open.createInputStream(name)) {
            return in.readNBytes(maxBytes + 1);
          } catch (IOException e) {
            throw new CompletionException(e);
          }
        },
        threads);
  }

  /** Ends the threads once what is under way has ended. */
  @Override
  public void close() {
    threads.shutdown();
  }
}
