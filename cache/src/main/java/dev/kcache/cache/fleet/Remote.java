// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import dev.kcache.cache.remote.RemoteHealth;
import dev.kcache.cache.remote.RemoteMode;
import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStore.Lease;
import dev.kcache.toolchain.Notices;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * One remote, with a deadline for each request. A request that fails soon is repeated once, within
 * its deadline. When that fails too, whoever else waits for the remote is let go, and it is left
 * alone for a while: so one that hangs costs a process one deadline, and that again only after the
 * pause. One that fails costs a thousand requests one repeat: the first to come back empty-handed
 * ends the others. The first failure of a process is told.
 *
 * <p>What must not be written may still be read: a failed write does not end the reading, and a
 * lease that fails ends neither. Safe for use by any number of threads.
 */
final class Remote implements AutoCloseable {
  private static final int LONGEST_REASON = 300;

  /** More than a process writes; beyond it, some are written twice. */
  private static final int MOST_WRITTEN = 10_000;

  private final RemoteStore store;
  private final Duration deadline;
  private volatile Duration firstDeadline;
  private final LongSupplier nanoTime;
  private final Jitter jitter;
  private final Breaker reading;
  private final Breaker writing;
  private final Breaker leasing;
  private final Set<String> written = ConcurrentHashMap.newKeySet();
  private final Set<CompletableFuture<?>> reads = ConcurrentHashMap.newKeySet();
  private final Set<CompletableFuture<?>> writes = ConcurrentHashMap.newKeySet();
  private final Set<CompletableFuture<?>> leases = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Asks a store.
   *
   * @param firstDeadline until the store has answered or failed: its engine is loaded meanwhile,
   *     which takes seconds on a busy machine
   */
  Remote(
      RemoteStore store,
      Duration firstDeadline,
      Duration deadline,
      Duration pause,
      LongSupplier nanoTime,
      Jitter jitter) {
    this.store = store;
    this.nanoTime = nanoTime;
    this.jitter = jitter;
    this.firstDeadline = firstDeadline;
    this.deadline = deadline;
    LongSupplier each = () -> jitter.pause(pause.toNanos());
    reading = new Breaker(each, nanoTime);
    writing = new Breaker(each, nanoTime);
    leasing = new Breaker(each, nanoTime);
  }

  String describe() {
    return store.describe();
  }

  /** Asks the store, even if it is left alone. */
  RemoteHealth health(RemoteMode mode) {
    return new RemoteCheck(store, firstDeadline, mode, jitter).run();
  }

  /** Reads a value; the future ends within the deadline, and fails if it is left alone. */
  CompletableFuture<Optional<byte[]>> get(String name, int maxBytes) {
    return reading.lets()
        ? ask(() -> store.get(name, maxBytes), reading, reads)
        : CompletableFuture.failedFuture(leftAlone());
  }

  /** As {@link #get}, writes a value. */
  CompletableFuture<Void> put(String name, byte[] bytes) {
    return !reading.isOpen() && writing.lets()
        ? ask(() -> store.put(name, bytes), writing, writes)
        : CompletableFuture.failedFuture(leftAlone());
  }

  /** As {@link #put}, but does nothing if this has written the name before. */
  CompletableFuture<Void> putOnce(String name, byte[] bytes) {
    return written.contains(name)
        ? CompletableFuture.completedFuture(null)
        : put(name, bytes).thenAccept(done -> remember(name));
  }

  private void remember(String name) {
    if (written.size() >= MOST_WRITTEN) {
      written.clear();
    }
    written.add(name);
  }

  /** As {@link #get}, takes or prolongs a lease. */
  CompletableFuture<Lease> lease(String name, String holder, Duration lifetime) {
    return !reading.isOpen() && leasing.lets()
        ? ask(() -> store.lease(name, holder, lifetime), leasing, leases)
        : CompletableFuture.failedFuture(leftAlone());
  }

  /** As {@link #get}, ends a lease. */
  CompletableFuture<Void> release(String name, String holder) {
    return !reading.isOpen() && leasing.lets()
        ? ask(() -> store.release(name, holder), leasing, leases)
        : CompletableFuture.failedFuture(leftAlone());
  }

  private static IOException leftAlone() {
    return new IOException("left alone for a while");
  }

  @SuppressWarnings("CollectionUndefinedEquality") // A CompletableFuture equals only itself.
  private <T> CompletableFuture<T> ask(
      Supplier<CompletableFuture<T>> request, Breaker breaker, Set<CompletableFuture<?>> waiting) {
    BooleanSupplier soon = Request.soon(nanoTime, deadline);
    Request<T> sent =
        new Request<>(
            request,
            jitter,
            () -> !closed && !reading.isOpen() && !breaker.isOpen() && soon.getAsBoolean());
    CompletableFuture<T> answer = sent.answer();
    waiting.add(answer);
    Duration limit = firstDeadline;
    return sent.send(limit)
        .whenComplete(
            (value, failure) -> {
              firstDeadline = deadline;
              waiting.remove(answer);
              if (failure == null) {
                breaker.answered();
                return;
              }
              if (!(failure instanceof LetGo)) {
                breaker.failed();
                tell(failure, limit);
                letGo(waiting);
              }
            });
  }

  private static void letGo(Set<CompletableFuture<?>> waiting) {
    waiting.forEach(each -> each.completeExceptionally(new LetGo()));
  }

  /** Ends a wait for a remote that has just failed, or was closed. */
  private static final class LetGo extends IOException {
    private static final long serialVersionUID = 1L;
  }

  private void tell(Throwable failure, Duration limit) {
    Notices.warn(
        System.getLogger(Remote.class.getName()),
        "remote " + describe(),
        "remote %s: %s; going on without it, and trying it again from time to time"
            .formatted(describe(), reason(failure, limit)));
  }

  static String reason(Throwable failure, Duration deadline) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof TimeoutException && cause.getMessage() == null) {
      return "no answer within " + deadline.toMillis() + " ms";
    }
    String reason = String.valueOf(cause.getMessage()).replaceAll("\\p{Cntrl}+|[.]$", " ").strip();
    return reason.substring(0, Math.min(reason.length(), LONGEST_REASON));
  }

  /** Lets go whoever still waits. */
  @Override
  public void close() {
    closed = true;
    List.of(reads, writes, leases).forEach(Remote::letGo);
    store.close();
  }
}
