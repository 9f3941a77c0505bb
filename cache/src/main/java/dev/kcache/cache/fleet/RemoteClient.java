// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import dev.kcache.cache.remote.RemoteStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A remote for those who need an answer, or a reason why there is none: each method waits. One that
 * has not answered within the deadline is not asked again. A request that fails sooner is repeated
 * once, unless another's repeat has failed and nobody has had an answer since. Safe for use by any
 * number of threads.
 */
public final class RemoteClient implements AutoCloseable {
  private final RemoteStore store;
  private final Duration deadline;
  private final Jitter jitter;
  private volatile boolean silent;
  private volatile boolean failing;
  private volatile boolean closed;

  /**
   * Creates the client of a store, which it closes.
   *
   * @param deadline for one request and its repeat
   */
  public RemoteClient(RemoteStore store, Duration deadline) {
    this(store, deadline, Jitter.DEFAULT);
  }

  RemoteClient(RemoteStore store, Duration deadline, Jitter jitter) {
    this.store = store;
    this.deadline = deadline;
    this.jitter = jitter;
  }

  /** Returns the address without credentials. */
  public String describe() {
    return store.describe();
  }

  /**
   * Returns a value, if it is there.
   *
   * @throws IOException if the remote does not tell; the message says why
   */
  public Optional<byte[]> get(String name) throws IOException {
    return answer(() -> store.get(name, RemoteEntry.MAX_BYTES));
  }

  /**
   * Writes a value.
   *
   * @throws IOException if it was perhaps not written; the message says why
   */
  public void put(String name, byte[] value) throws IOException {
    answer(() -> store.put(name, value));
  }

  /**
   * Returns the names that begin like that.
   *
   * @throws UnsupportedOperationException if the remote can't list
   * @throws IOException if it does not tell; the message says why
   */
  public List<String> list(String prefix) throws IOException {
    return answer(() -> store.list(prefix));
  }

  private <T> T answer(Supplier<CompletableFuture<T>> request) throws IOException {
    if (silent) {
      throw new IOException("remote " + describe() + ": it has stopped answering");
    }
    BooleanSupplier soon = Request.soon(System::nanoTime, deadline);
    try {
      T answer =
          new Request<>(request, jitter, () -> !closed && !failing && soon.getAsBoolean())
              .send(deadline)
              .get();
      failing = false;
      return answer;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (CancellationException e) {
      throw new IOException("remote " + describe() + ": closed", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      silent |= cause instanceof TimeoutException;
      if (cause instanceof UnsupportedOperationException unsupported) {
        throw unsupported;
      }
      failing = true;
      throw new IOException("remote " + describe() + ": " + Remote.reason(cause, deadline), e);
    }
  }

  @Override
  public void close() {
    closed = true;
    store.close();
  }
}
