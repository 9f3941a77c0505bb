// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStoreProvider;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Remotes in memory, by the host of {@code memory://HOST}; each is there from its first use. */
public final class MemoryRemotes implements RemoteStoreProvider {
  private static final Map<String, Store> STORES = new ConcurrentHashMap<>();

  /** What one remote holds. */
  static final class Store implements RemoteStore {
    private final String host;
    final Map<String, byte[]> values = new ConcurrentSkipListMap<>();
    final List<String> written = new CopyOnWriteArrayList<>();

    /** How many requests from now on fail in passing. */
    final AtomicInteger failures = new AtomicInteger();

    volatile boolean refusesReads;
    volatile boolean refusesWrites;
    volatile boolean forgets;
    volatile boolean cannotList;
    volatile boolean slow;

    /** Whether what is written as {@code code/} is slow. */
    volatile boolean slowCode;

    private Store(String host) {
      this.host = host;
    }

    @Override
    public String describe() {
      return "memory://" + host;
    }

    @Override
    public CompletableFuture<Optional<byte[]>> get(String name, int maxBytes) {
      return fails()
          ? CompletableFuture.failedFuture(new IOException("connection reset"))
          : refusesReads
              ? CompletableFuture.failedFuture(new IOException("not authorized\nto read."))
              : CompletableFuture.completedFuture(Optional.ofNullable(values.get(name)));
    }

    @Override
    public CompletableFuture<Void> put(String name, byte[] bytes) {
      if (fails()) {
        return CompletableFuture.failedFuture(new IOException("connection reset"));
      }
      if (refusesWrites) {
        return CompletableFuture.failedFuture(new IOException("not authorized to write"));
      }
      return slow || (slowCode && name.startsWith("code/"))
          ? CompletableFuture.runAsync(
              () -> write(name, bytes),
              CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS))
          : CompletableFuture.runAsync(() -> write(name, bytes), Runnable::run);
    }

    private boolean fails() {
      return failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }

    private void write(String name, byte[] bytes) {
      written.add(name);
      if (!forgets) {
        values.put(name, bytes);
      }
    }

    @Override
    public CompletableFuture<List<String>> list(String prefix) {
      if (fails()) {
        return CompletableFuture.failedFuture(new IOException("connection reset"));
      }
      return cannotList
          ? RemoteStore.super.list(prefix)
          : CompletableFuture.completedFuture(
              values.keySet().stream().filter(name -> name.startsWith(prefix)).toList());
    }

    @Override
    public void close() {}
  }

  /** Returns an empty remote in the place of the one that the host was. */
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
    return STORES.computeIfAbsent(address.getHost(), Store::new);
  }
}
