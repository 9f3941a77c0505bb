// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Writes entries to remotes, in the order in which they come, behind the back of who compiled them.
 * What doesn't fit into the queue is dropped, and so is what a remote does not take: it can be
 * compiled again. Safe for use by any number of threads.
 */
final class Uploads implements AutoCloseable {
  static final int MOST_ENTRIES = 256;
  static final long MOST_BYTES = 64L << 20;

  private static final long IDLE_SECONDS = 10;

  private final List<Remote> remotes;
  private final Semaphore inFlight;
  private final long closingMillis;
  private final ThreadPoolExecutor sender;
  private int entries;
  private long bytes;
  private long dropped;

  /**
   * Creates an empty queue. Its thread starts when there is something to send.
   *
   * @param inFlight has a permit for each request that may be under way
   */
  Uploads(List<Remote> remotes, Semaphore inFlight, long closingMillis) {
    this.remotes = remotes;
    this.inFlight = inFlight;
    this.closingMillis = closingMillis;
    sender =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "kcache-upload");
              thread.setDaemon(true);
              return thread;
            });
    sender.allowCoreThreadTimeOut(true);
  }

  /** Makes the bytes of a value. */
  interface Value {
    byte[] bytes() throws IOException;
  }

  /**
   * A value of an entry.
   *
   * @param names under which it is written
   * @param once whether it is always the same, so that it is not written again
   */
  record Part(List<String> names, boolean once, Value value) {}

  /**
   * Has an entry written, the names one after the other; never waits.
   *
   * @param size about how many bytes it has
   * @param onEnd hears whether it was written to each remote, when that is known
   */
  void add(List<Part> parts, long size, Consumer<Boolean> onEnd) {
    if (!queues(size)) {
      onEnd.accept(false);
      return;
    }
    Upload upload = new Upload(parts, size, onEnd);
    try {
      sender.execute(upload);
    } catch (RejectedExecutionException e) {
      ended(upload, false);
    }
  }

  /** What waits for its turn. */
  private final class Upload implements Runnable {
    private final List<Part> parts;
    private final long size;
    private final Consumer<Boolean> onEnd;

    Upload(List<Part> parts, long size, Consumer<Boolean> onEnd) {
      this.parts = parts;
      this.size = size;
      this.onEnd = onEnd;
    }

    @Override
    public void run() {
      send(this);
    }
  }

  private synchronized boolean queues(long size) {
    if (entries >= MOST_ENTRIES || bytes + size > MOST_BYTES) {
      dropped++;
      return false;
    }
    entries++;
    bytes += size;
    return true;
  }

  private void send(Upload upload) {
    CompletableFuture<?> all;
    try {
      List<Write> writes = new ArrayList<>();
      for (Part part : upload.parts) {
        byte[] content = part.value().bytes();
        part.names().forEach(name -> writes.add(new Write(name, content, part.once())));
      }
      CompletableFuture<?>[] each = new CompletableFuture<?>[remotes.size()];
      for (int i = 0; i < each.length; i++) {
        inFlight.acquire();
        each[i] = send(writes, remotes.get(i)).whenComplete((done, failure) -> inFlight.release());
      }
      all = CompletableFuture.allOf(each);
    } catch (InterruptedException e) {
      // The queue was closed.
      Thread.currentThread().interrupt();
      all = CompletableFuture.failedFuture(e);
    } catch (IOException | RuntimeException e) {
      all = CompletableFuture.failedFuture(e);
    }
    var unused = all.whenComplete((done, failure) -> ended(upload, failure == null));
  }

  private record Write(String name, byte[] content, boolean once) {}

  /** What others refer to comes first: who finds that may ask for the rest at once. */
  private static CompletableFuture<Void> send(List<Write> writes, Remote remote) {
    CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);
    for (Write write : writes) {
      sent =
          sent.thenCompose(
              before ->
                  write.once()
                      ? remote.putOnce(write.name(), write.content())
                      : remote.put(write.name(), write.content()));
    }
    return sent;
  }

  private void ended(Upload upload, boolean sent) {
    // First, so that who waits for all of them finds them counted.
    upload.onEnd.accept(sent);
    synchronized (this) {
      entries--;
      bytes -= upload.size;
      if (!sent) {
        dropped++;
      }
      notifyAll();
    }
  }

  /** Returns how many entries were not written to every remote. */
  synchronized long dropped() {
    return dropped;
  }

  /**
   * Waits until nothing is under way, or for as long; an interrupt ends the wait.
   *
   * @return how many entries were not written to every remote, or not yet
   */
  long await(long nanos) {
    long end = System.nanoTime() + nanos;
    synchronized (this) {
      try {
        for (long left = nanos; entries > 0 && left > 0; left = end - System.nanoTime()) {
          TimeUnit.NANOSECONDS.timedWait(this, left);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return dropped + entries;
    }
  }

  /** Waits for what is under way, but not long, and drops the rest. */
  @Override
  public void close() {
    sender.shutdown();
    long lost = await(TimeUnit.MILLISECONDS.toNanos(closingMillis));
    sender.shutdownNow().forEach(waiting -> ended((Upload) waiting, false));
    if (lost > 0) {
      System.getLogger(Uploads.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "compiled kernels that were not uploaded to each remote: " + lost);
    }
  }
}
