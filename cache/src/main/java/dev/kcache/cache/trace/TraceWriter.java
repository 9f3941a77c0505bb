// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.trace;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.FileFault;
import dev.kcache.toolchain.Notices;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Traces requests on a thread of its own, each distinct one once. Whoever adds a request neither
 * waits nor hears of a failure: what cannot be written, or comes faster than it is written, costs
 * one warning in a process. It is written once no more requests come, since they come in batches
 * that somebody waits for, but some seconds later at most; when this is closed, or else when the
 * JVM ends, what is left is written, for a few seconds at most.
 *
 * <p>Safe for use by any number of threads.
 */
public final class TraceWriter implements AutoCloseable {
  /** A queued request holds its source, which its caller mostly holds anyway. */
  private static final int MOST_QUEUED = 10_000;

  /** Beyond that, a request may be looked for in the directory once more. */
  private static final int MOST_KNOWN = 100_000;

  private static final Duration DELAY = Duration.ofSeconds(2);

  /** How often a batch that goes on may put off the writing. */
  private static final int MOST_DELAYS = 5;

  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final TraceDirectory directory;
  private final Set<Object> known = ConcurrentHashMap.newKeySet();
  private final Queue<Supplier<Traced>> queue = new ArrayBlockingQueue<>(MOST_QUEUED);
  private final ScheduledThreadPoolExecutor writer;
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicBoolean watchesTheEnd = new AtomicBoolean();
  private final Thread atEnd = new Thread(this::finish, "kcache-trace-end");
  private volatile boolean failed;

  /** A request with the contents of its files. */
  public record Traced(TracedRequest request, Map<Digest, ByteBuffer> contents) {}

  /** Creates nothing on disk, and no thread. */
  public TraceWriter(Path directory) {
    this.directory = new TraceDirectory(directory);
    writer =
        new ScheduledThreadPoolExecutor(
            1, TraceWriter::thread, new ThreadPoolExecutor.DiscardPolicy());
    writer.setKeepAliveTime(DELAY.toSeconds(), TimeUnit.SECONDS);
    writer.allowCoreThreadTimeOut(true);
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "kcache-trace");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Adds a request unless it was added before.
   *
   * @param key tells the request from all others
   * @param request describes it, on another thread
   */
  public void add(Object key, Supplier<Traced> request) {
    if (failed || !known.add(key)) {
      return;
    }
    if (known.size() > MOST_KNOWN) {
      known.clear();
    }
    if (!queue.offer(request)) {
      fail("requests come faster than they can be written");
    } else if (scheduled.compareAndSet(false, true)) {
      watchTheEnd();
      schedule(1, MOST_DELAYS);
    }
  }

  private void schedule(int queued, int delays) {
    var unused =
        writer.schedule(() -> writeAfterBatch(queued, delays), DELAY.toSeconds(), TimeUnit.SECONDS);
  }

  /**
   * Writes what is queued, or looks again later.
   *
   * @param before how much was queued at the last look
   * @param delays how often to look again at most
   */
  private void writeAfterBatch(int before, int delays) {
    int queued = queue.size();
    if (queued > before && queued < MOST_QUEUED / 2 && delays > 0) {
      schedule(queued, delays - 1);
    } else {
      writeAll();
    }
  }

  private void writeAll() {
    scheduled.set(false);
    for (Supplier<Traced> next = queue.poll(); next != null; next = queue.poll()) {
      write(next);
    }
  }

  private void write(Supplier<Traced> request) {
    if (failed) {
      return;
    }
    try {
      Traced traced = request.get();
      directory.add(traced.request(), traced.contents());
    } catch (IOException e) {
      fail(FileFault.describe(e));
    } catch (RuntimeException e) {
      fail(e.toString());
    }
  }

  private void fail(String reason) {
    failed = true;
    Notices.warn(
        System.getLogger(TraceWriter.class.getName()),
        "trace " + directory.root(),
        "not all requests are traced in %s (%s); name a directory by KCACHE_TRACE that you can write to and that has room"
            .formatted(directory.root(), reason));
  }

  private void watchTheEnd() {
    if (watchesTheEnd.compareAndSet(false, true)) {
      try {
        Runtime.getRuntime().addShutdownHook(atEnd);
      } catch (IllegalStateException e) {
        // The end has come: whoever closes this writes.
      }
    }
  }

  /** Waits for what is queued, for some seconds; nothing is added afterwards. */
  @Override
  public void close() {
    finish();
    try {
      Runtime.getRuntime().removeShutdownHook(atEnd);
    } catch (IllegalStateException e) {
      // It is running, and finds nothing to do.
    }
  }

  private synchronized void finish() {
    boolean interrupted = Thread.interrupted();
    try {
      if (watchesTheEnd.get() && !writer.isShutdown()) {
        writer.submit(this::writeAll).get(CLOSING.toSeconds(), TimeUnit.SECONDS);
      }
    } catch (TimeoutException e) {
      fail("it takes too long");
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    writer.shutdownNow();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
