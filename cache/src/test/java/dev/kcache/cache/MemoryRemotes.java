// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.fleet.Jitter;
import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStoreProvider;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remotes in memory, by the host of {@code memory://HOST}, which can hang and fail, and have leases
 * if they are given a clock.
 */
public final class MemoryRemotes implements RemoteStoreProvider {
  /** Repeats at once, and pauses for exactly as long as it is told. */
  static final Jitter NO_JITTER = new Jitter(() -> 0.5, (delay, task) -> task.run());

  private static final Map<String, Store> STORES = new ConcurrentHashMap<>();

  /** What one remote holds, and what it was asked. */
  static final class Store implements RemoteStore {
    private final String host;
    final Map<String, byte[]> values = new ConcurrentHashMap<>();
    final List<String> asked = new CopyOnWriteArrayList<>();
    final List<String> written = new CopyOnWriteArrayList<>();

    /** What was held back while it hung. */
    final List<Runnable> held = new CopyOnWriteArrayList<>();

    /** Who has which lease, and until when. */
    final Map<String, Held> leases = new ConcurrentHashMap<>();

    /** The names of leases that somebody did not get. */
    final BlockingQueue<String> taken = new LinkedBlockingQueue<>();

    /** The holders to whom a lease was given or prolonged. */
    final BlockingQueue<String> given = new LinkedBlockingQueue<>();

    volatile @Nullable LongSupplier clock;
    volatile boolean failsLeases;

    /** Runs when a lease is given. */
    volatile Runnable onLease = () -> {};

    volatile boolean hangs;
    volatile boolean hangsWriting;
    volatile boolean fails;
    volatile boolean closed;

    record Held(String holder, long end) {}

    private Store(String host) {
      this.host = host;
    }

    URI address() {
      return URI.create("memory://" + host);
    }

    @Override
    public String describe() {
      return address().toString();
    }

    @Override
    public CompletableFuture<Optional<byte[]>> get(String name, int maxBytes) {
      asked.add(name);
      CompletableFuture<Optional<byte[]>> answer = new CompletableFuture<>();
      answer(answer, hangs, () -> answer.complete(Optional.ofNullable(values.get(name))));
      return answer;
    }

    @Override
    public CompletableFuture<Void> put(String name, byte[] bytes) {
      CompletableFuture<Void> answer = new CompletableFuture<>();
      answer(
          answer,
          hangsWriting,
          () -> {
            written.add(name);
            values.put(name, bytes);
            answer.complete(null);
          });
      return answer;
    }

    @Override
    public synchronized CompletableFuture<Lease> lease(
        String name, String holder, Duration lifetime) {
      LongSupplier now = clock;
      if (failsLeases) {
        return CompletableFuture.failedFuture(new IOException("no leases today"));
      }
      if (now == null) {
        return CompletableFuture.completedFuture(Lease.UNSUPPORTED);
      }
      Held held = leases.get(name);
      if (held != null && !held.holder().equals(holder) && held.end() > now.getAsLong()) {
        taken.add(name);
        return CompletableFuture.completedFuture(Lease.TAKEN);
      }
      leases.put(name, new Held(holder, now.getAsLong() + lifetime.toNanos()));
      given.add(holder);
      onLease.run();
      return CompletableFuture.completedFuture(Lease.HELD);
    }

    @Override
    public synchronized CompletableFuture<Void> release(String name, String holder) {
      Held held = leases.get(name);
      if (held != null && held.holder().equals(holder)) {
        leases.remove(name);
      }
      return CompletableFuture.completedFuture(null);
    }

    private void answer(CompletableFuture<?> answer, boolean hold, Runnable work) {
      if (hold) {
        held.add(work);
      } else if (fails) {
        answer.completeExceptionally(new IOException("broken\non purpose"));
      } else {
        work.run();
      }
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** Returns an empty remote. */
  static Store create(String host) {
    Store store = new Store(host);
    STORES.put(host, store);
    return store;
  }

  @Override
  public Set<String> schemes() {
    return Set.of("memory");
  }

  @Override
  public RemoteStore open(URI address, Map<String, String> environment) {
    Store store = STORES.get(address.getHost());
    if (store == null) {
      throw new IllegalArgumentException("there is no " + address);
    }
    return store;
  }
}
