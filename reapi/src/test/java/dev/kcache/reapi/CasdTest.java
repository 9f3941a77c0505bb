// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStore.Lease;
import dev.kcache.cache.remote.RemoteStoreProvider;
import dev.kcache.cache.standin.LocalServer;
import dev.kcache.cache.standin.RemoteStoreContract;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a real server. */
@Tag("fleet")
class CasdTest extends RemoteStoreContract {
  private static final int MAX = 32 << 20;

  @TempDir static Path shared;
  private static CasdServer server;

  @BeforeAll
  static void start() throws IOException {
    server = new CasdServer(Files.createDirectory(shared.resolve("casd")), LocalServer.freePort());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected RemoteStoreProvider provider() {
    return new ReapiStoreProvider();
  }

  @Override
  protected String url() {
    return server.url();
  }

  @Override
  protected boolean lists() {
    return false;
  }

  @Override
  protected Lease whileHeld() {
    return Lease.UNSUPPORTED;
  }

  private static RemoteStore open(String url) {
    return new ReapiStoreProvider().open(URI.create(url), Map.of());
  }

  private static byte[] bytes(int size, int seed) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (i * 31 + (i >> 9) + seed * (i & 7));
    }
    return bytes;
  }

  @Test
  void sizes_aroundALimitOfGrpc() throws Exception {
    try (RemoteStore store = open(server.url())) {
      for (int size : new int[] {0, 1, (4 << 20) - 4096, 4 << 20}) {
        get(store.put("a/b", bytes(size, 2)));
        assertThat(get(store.get("a/b", MAX)).orElseThrow()).isEqualTo(bytes(size, 2));
      }
    }
  }

  @Test
  void thousandValues_areReadAtOnce() throws Exception {
    int many = 1000;
    int size = 10_000;
    try (RemoteStore store = open(server.url());
        RemoteStore reader = open(server.url())) {
      Semaphore inFlight = new Semaphore(64);
      List<CompletableFuture<Void>> writes =
          IntStream.range(0, many)
              .mapToObj(i -> limited(inFlight, () -> store.put("many" + i, bytes(size, i))))
              .toList();
      get(CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)));
      List<CompletableFuture<Optional<byte[]>>> reads =
          IntStream.range(0, many)
              .mapToObj(i -> limited(inFlight, () -> reader.get("many" + i, MAX)))
              .toList();
      get(CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new)));
      for (int i = 0; i < many; i++) {
        assertThat(Arrays.equals(get(reads.get(i)).orElseThrow(), bytes(size, i))).isTrue();
      }
    }
  }

  private static <T> CompletableFuture<T> limited(
      Semaphore inFlight, Supplier<CompletableFuture<T>> request) {
    inFlight.acquireUninterruptibly();
    return request.get().whenComplete((value, failure) -> inFlight.release());
  }

  @Test
  void unknownInstance_isNamed() throws Exception {
    try (RemoteStore store = open(server.url() + "/other")) {
      assertThatThrownBy(() -> get(store.get("a", MAX)))
          .isInstanceOf(ExecutionException.class)
          .hasMessageContaining("'other'");
    }
  }

  @Test
  void serverKilledInTheMiddle_isUsedAgainWhenItIsBack() throws Exception {
    int port = LocalServer.freePort();
    Path kept = Files.createDirectory(temp.resolve("kept"));
    String url = "grpc://127.0.0.1:" + port;
    try (RemoteStore store = open(url)) {
      assertThatThrownBy(() -> get(store.get("a", MAX))).hasMessageContaining("refused");
      try (CasdServer killed = new CasdServer(kept, port)) {
        get(store.put("a", new byte[] {1}));
        assertThat(killed.url()).isEqualTo(url);
      }
      assertThatThrownBy(() -> get(store.get("a", MAX))).isInstanceOf(ExecutionException.class);
      assertThat(origin("node", url, Map.of())).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines())
          .singleElement()
          .asString()
          .contains(url + ": Connection refused");
      try (CasdServer back = new CasdServer(kept, port)) {
        assertThat(get(store.get("a", MAX)).orElseThrow()).containsExactly(1);
        assertThat(back.url()).isEqualTo(url);
      }
    }
  }
}
