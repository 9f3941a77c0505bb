// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.trace;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Notices;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Traces requests on a thread of its own, each distinct one once. Whoever adds a request neither
 * waits nor hears of a failure: what cannot be written, or comes faster than it is written, costs
 * one warning in a process. What is queued is written when this is closed, or else when the JVM
 * ends, for a few seconds at most.
 *
 * <p>Safe for use by any number of threads.
 */
public final class TraceWriter implements AutoCloseable {
  /** A queued request holds its source, which its caller mostly holds anyway. */
  private static final int MOST_QUEUED = 10_000;

  /** Beyond that, a request may be looked for in the directory once more. */
  private static final int MOST_KNOWN = 100_000;

  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final TraceDirectory directory;
  private final Set<Object> known = ConcurrentHashMap.newKeySet();
  private final ThreadPoolExecutor writer;
  private final Thread atEnd = new Thread(this::finish, "kcache-trace-end");
  private volatile boolean failed;
  private boolean watchesTheEnd;

  /** A request with the contents of its files. */
  public record Traced(TracedRequest request, Map<Digest, ByteBuffer> contents) {}

  /** Creates nothing on disk, and no thread. */
  public TraceWriter(Path directory) {
    this.directory = new TraceDirectory(directory);
    writer =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE.toSeconds(),
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MOST_QUEUED),
            TraceWriter::thread,
            (task, closing) -> {
              if (!closing.isShutdown()) {
                fail("requests come faster than they can be written");
              }
            });
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
    watchTheEnd();
    writer.execute(() -> write(request));
  }

  private void write(Supplier<Traced> request) {
    if (failed) {
      return;
    }
    try {
      Traced traced = request.get();
      directory.add(traced.request(), traced.contents());
    } catch (IOException | RuntimeException e) {
      fail(e.toString());
    }
  }

  private void fail(String reason) {
    failed = true;
    Notices.warn(
        System.getLogger(TraceWriter.class.getName()),
        "trace " + directory.root(),
        "not all requests are traced in %s (%s); make room there or name another directory by KCACHE_TRACE"
            .formatted(directory.root(), reason));
  }

  private synchronized void watchTheEnd() {
    if (watchesTheEnd) {
      return;
    }
    watchesTheEnd = true;
    try {
      Runtime.getRuntime().addShutdownHook(atEnd);
    } catch (IllegalStateException e) {
      // The end has come: whoever closes this writes.
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

  private void finish() {
    writer.shutdown();
    boolean interrupted = Thread.interrupted();
    try {
      if (!writer.awaitTermination(CLOSING.toSeconds(), TimeUnit.SECONDS)) {
        fail("it takes too long to write them");
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
