// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Notices;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a real server. */
@Tag("fleet")
class CasdTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final int MAX = 32 << 20;

  @TempDir static Path shared;
  private static CasdServer server;

  @TempDir Path temp;
  private final FixtureToolchain toolchain = new FixtureToolchain();
  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private final Logger logger = Logger.getLogger("dev.kcache.cache");
  private final Handler listening = listening();

  @BeforeAll
  static void start() throws IOException {
    server = new CasdServer(Files.createDirectory(shared.resolve("casd")), CasdServer.freePort());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private Handler listening() {
    return new Handler() {
      @Override
      public void publish(LogRecord record) {
        if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
          warnings.add(record.getMessage());
        }
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @BeforeEach
  void listen() {
    Notices.clear();
    logger.addHandler(listening);
  }

  @AfterEach
  void stopListening() {
    logger.removeHandler(listening);
  }

  private static KernelSource source(String kernel) {
    return KernelSource.of("k.hip", "__global__ void " + kernel + "() {}\n");
  }

  private Origin origin(String name, String kernel, String url, String... variables) {
    Map<String, String> environment = new HashMap<>(Map.of("KCACHE_REMOTE", url));
    for (int i = 0; i < variables.length; i += 2) {
      environment.put(variables[i], variables[i + 1]);
    }
    try (CacheManager cache =
        CacheManager.builder()
            .environment(environment)
            .toolchain(toolchain)
            .directory(temp.resolve(name))
            .build()) {
      return cache.resolve(source(kernel), GFX90A).origin();
    }
  }

  private static RemoteStore open(String url) {
    return new ReapiStoreProvider().open(URI.create(url), Map.of());
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  private static byte[] bytes(int size, int seed) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (i * 31 + (i >> 9) + seed * (i & 7));
    }
    return bytes;
  }

  @Test
  void secondNode_findsWhatTheFirstUploaded() {
    String url = server.url();
    assertThat(origin("one", "k", url, "KCACHE_REMOTE_MODE", "read-write"))
        .isEqualTo(Origin.COMPILED);
    assertThat(origin("two", "k", url)).isEqualTo(Origin.REMOTE);
    assertThat(origin("two", "k", url)).isEqualTo(Origin.DISK);
    assertThat(toolchain.compiles).hasValue(1);
    assertThat(warnings).singleElement().asString().startsWith("whoever can write remote ");
  }

  @Test
  void values_areWhatWasWrittenLast() throws Exception {
    byte[] large = bytes(9 << 20, 1);
    try (RemoteStore store = open(server.url())) {
      assertThat(get(store.get("a/b", MAX))).isEmpty();
      get(store.put("a/b", large));
      assertThat(get(store.get("a/b", MAX)).orElseThrow()).isEqualTo(large);
      assertThat(get(store.get("a/b", 1000)).orElseThrow()).hasSize(1001);
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
    int port = CasdServer.freePort();
    Path kept = Files.createDirectory(temp.resolve("kept"));
    String url = "grpc://127.0.0.1:" + port;
    try (RemoteStore store = open(url)) {
      assertThatThrownBy(() -> get(store.get("a", MAX))).hasMessageContaining("refused");
      try (CasdServer killed = new CasdServer(kept, port)) {
        get(store.put("a", new byte[] {1}));
        assertThat(killed.url()).isEqualTo(url);
      }
      assertThatThrownBy(() -> get(store.get("a", MAX))).isInstanceOf(ExecutionException.class);
      assertThat(origin("node", "killed", url)).isEqualTo(Origin.COMPILED);
      assertThat(warnings).singleElement().asString().contains(url + ": Connection refused");
      try (CasdServer back = new CasdServer(kept, port)) {
        assertThat(get(store.get("a", MAX)).orElseThrow()).containsExactly(1);
        assertThat(back.url()).isEqualTo(url);
      }
    }
  }
}
