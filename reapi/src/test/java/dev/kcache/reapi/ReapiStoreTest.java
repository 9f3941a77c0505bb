// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.reapi.proto.ActionResult;
import dev.kcache.reapi.proto.CacheCapabilities;
import dev.kcache.reapi.proto.Digest;
import dev.kcache.reapi.proto.OutputFile;
import dev.kcache.reapi.proto.RequestMetadata;
import dev.kcache.reapi.proto.ServerCapabilities;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a server that does what a test wants. */
class ReapiStoreTest {
  private static final int MAX = 32 << 20;
  private static final int LARGE = 5 << 20;

  private FakeServer server;
  private RemoteStore store;

  @BeforeEach
  void start() throws IOException {
    server = new FakeServer();
    store = open(server.url());
  }

  @AfterEach
  void stop() {
    store.close();
    server.close();
  }

  private static RemoteStore open(String url) {
    return new ReapiStoreProvider().open(URI.create(url), Map.of());
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  private Optional<byte[]> read(String name) throws Exception {
    return get(store.get(name, MAX));
  }

  private static byte[] bytes(int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (i * 31 + (i >> 9));
    }
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 10_000, LARGE})
  void value_isWhatWasWritten(int size) throws Exception {
    byte[] bytes = bytes(size);
    assertThat(read("a/b")).isEmpty();
    get(store.put("a/b", new byte[] {5}));
    get(store.put("a/b", bytes));
    assertThat(read("a/b").orElseThrow()).isEqualTo(bytes);
    assertThat(read("a/c")).isEmpty();
    server.inlines = true;
    assertThat(read("a/b").orElseThrow()).isEqualTo(bytes);
    assertThat(server.count("GetCapabilities")).isEqualTo(1);
  }

  @Test
  void result_isOneFileAndNothingElse() throws Exception {
    byte[] bytes = bytes(100);
    get(store.put("a/b", bytes));
    NamedAction action = NamedAction.of("a/b");
    Blob value = Blob.of(ByteString.copyFrom(bytes));
    assertThat(server.results)
        .containsExactly(
            Map.entry(
                action.action().digest(),
                ActionResult.newBuilder()
                    .addOutputFiles(
                        OutputFile.newBuilder().setPath("entry").setDigest(value.digest()))
                    .build()));
    assertThat(server.blobs.keySet())
        .containsExactlyInAnyOrder(
            action.action().digest(),
            action.command().digest(),
            Blob.EMPTY.digest(),
            value.digest());
  }

  @Test
  void secondName_uploadsTheValueNoMore() throws Exception {
    get(store.put("a", bytes(LARGE)));
    assertThat(server.count("Write")).isEqualTo(1);
    get(store.put("b", bytes(LARGE)));
    assertThat(server.count("Write")).isEqualTo(1);
    get(store.put("b", bytes(LARGE)));
    // Neither the action nor the command of the same name.
    assertThat(server.count("BatchUpdateBlobs")).isEqualTo(2);
    assertThat(read("b").orElseThrow()).isEqualTo(bytes(LARGE));
  }

  /** One that is smaller than an action, too. */
  @ParameterizedTest
  @ValueSource(ints = {1, 100, 5_000, 9_999, 10_000, 10_137, 10_138, 64 << 20})
  void batches_obeyTheStatedLimit(int limit) throws Exception {
    server.capabilities = FakeServer.capabilities(limit, true);
    get(store.put("a", bytes(10_000)));
    assertThat(read("a").orElseThrow()).isEqualTo(bytes(10_000));
    assertThat(server.count("Read")).isEqualTo(limit < 10_000 ? 1 : 0);
    assertThat(server.count("BatchReadBlobs")).isEqualTo(limit < 10_000 ? 0 : 1);
  }

  /** What gRPC takes unless a server is set to more is tried from both sides. */
  @Test
  void messages_obeyTheLimitOfGrpc() throws Exception {
    for (int beside : new int[] {0, 1, 300, 4_000, 6_000}) {
      get(store.put("a", bytes((4 << 20) - beside)));
      assertThat(read("a").orElseThrow()).hasSize((4 << 20) - beside);
    }
    assertThat(server.count("Write")).isEqualTo(4);
    assertThat(server.count("Read")).isEqualTo(4);
  }

  @Test
  void readsAtOnce_shareBatches() throws Exception {
    int many = 100;
    for (int i = 0; i < many; i++) {
      get(store.put("a" + i, bytes(1000 + i)));
    }
    CountDownLatch answered = new CountDownLatch(many);
    Semaphore first = new Semaphore(1);
    server.before.put("GetActionResult", answered::countDown);
    server.before.put(
        "BatchReadBlobs",
        () -> {
          if (first.tryAcquire()) {
            await(answered);
          }
        });
    List<CompletableFuture<Optional<byte[]>>> reads = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      reads.add(store.get("a" + i, MAX));
    }
    for (int i = 0; i < many; i++) {
      assertThat(get(reads.get(i)).orElseThrow()).isEqualTo(bytes(1000 + i));
    }
    assertThat(server.count("BatchReadBlobs")).isLessThan(20);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void manyReads_areSplitByTheLimit() throws Exception {
    server.capabilities = FakeServer.capabilities(25_000, true);
    List<CompletableFuture<Optional<byte[]>>> reads = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      get(store.put("a" + i, bytes(10_000 + i)));
    }
    for (int i = 0; i < 20; i++) {
      reads.add(store.get("a" + i, MAX));
    }
    for (int i = 0; i < 20; i++) {
      assertThat(get(reads.get(i)).orElseThrow()).hasSize(10_000 + i);
    }
    assertThat(server.count("BatchReadBlobs")).isGreaterThanOrEqualTo(10);
  }

  @Test
  void sameBlob_isReadOnceForAllWhoWait() throws Exception {
    get(store.put("a", bytes(10)));
    get(store.put("b", bytes(10)));
    CompletableFuture<Optional<byte[]>> one = store.get("a", MAX);
    CompletableFuture<Optional<byte[]>> two = store.get("b", MAX);
    assertThat(get(one).orElseThrow()).isEqualTo(get(two).orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(ints = {10, LARGE})
  void lostBlob_isAMiss(int size) throws Exception {
    get(store.put("a", bytes(size)));
    server.blobs.clear();
    assertThat(read("a")).isEmpty();
    get(store.put("a", bytes(size)));
    assertThat(read("a").orElseThrow()).isEqualTo(bytes(size));
  }

  private enum Damage {
    OTHER,
    SHORTER,
    LONGER;

    byte[] of(int size) {
      byte[] bytes = bytes(size);
      bytes[size / 2]++;
      return switch (this) {
        case OTHER -> bytes;
        case SHORTER -> Arrays.copyOf(bytes(size), size - 1);
        case LONGER -> Arrays.copyOf(bytes(size), size + 300_000);
      };
    }
  }

  /** The cache refuses an empty value, and goes on asking for others. */
  @ParameterizedTest
  @EnumSource
  void damagedBlob_isAnEmptyValue(Damage damage) throws Exception {
    get(store.put("small", bytes(100)));
    get(store.put("large", bytes(LARGE)));
    server.wrong = ByteString.copyFrom(damage.of(100));
    assertThat(read("small").orElseThrow()).isEmpty();
    server.inlines = true;
    assertThat(read("small").orElseThrow()).isEmpty();
    server.inlines = false;
    server.wrong = ByteString.copyFrom(damage.of(LARGE));
    assertThat(read("large").orElseThrow()).isEmpty();
    server.wrong = null;
    assertThat(read("large").orElseThrow()).isEqualTo(bytes(LARGE));
  }

  @Test
  void resultOfSomethingElse_isAnEmptyValue() throws Exception {
    Digest action = NamedAction.of("a").action().digest();
    Digest blob = Blob.of(ByteString.copyFromUtf8("x")).digest();
    server.results.put(action, ActionResult.newBuilder().setExitCode(1).build());
    assertThat(read("a").orElseThrow()).isEmpty();
    for (Digest wrong :
        List.of(
            Digest.getDefaultInstance(),
            blob.toBuilder().setHash("../" + blob.getHash().substring(3)).build(),
            blob.toBuilder().setSizeBytes(-1).build(),
            blob.toBuilder().setSizeBytes(0).build())) {
      server.results.put(
          action,
          ActionResult.newBuilder()
              .addOutputFiles(OutputFile.newBuilder().setPath("entry").setDigest(wrong))
              .build());
      assertThat(read("a").orElseThrow()).isEmpty();
    }
  }

  @Test
  void tooLongValue_isNotRead() throws Exception {
    get(store.put("small", bytes(100)));
    get(store.put("large", bytes(LARGE)));
    assertThat(get(store.get("small", 99)).orElseThrow()).hasSize(100);
    assertThat(get(store.get("large", 1000)).orElseThrow()).hasSize(1001);
    assertThat(server.calls).doesNotContain("Read", "BatchReadBlobs");
    assertThat(get(store.get("small", 100)).orElseThrow()).isEqualTo(bytes(100));
  }

  @Test
  void serverThatHasTheBlobMeanwhile_endsTheUpload() throws Exception {
    server.readUpTo = 1;
    get(store.put("a", bytes(LARGE)));
    assertThat(server.results).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GetCapabilities", "GetActionResult", "BatchReadBlobs", "Read"})
  void cancelledRead_endsTheCall(String method) throws Exception {
    String name = method.equals("Read") ? "large" : "small";
    try (RemoteStore other = open(server.url())) {
      get(other.put("small", bytes(10)));
      get(other.put("large", bytes(LARGE)));
    }
    CountDownLatch cancelled = server.hang(method);
    CompletableFuture<Optional<byte[]>> read = store.get(name, MAX);
    server.hung.acquire();
    assertThat(read).isNotDone();
    read.cancel(false);
    await(cancelled);
    server.hanging.clear();
    assertThat(read(name)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"FindMissingBlobs", "BatchUpdateBlobs", "Write", "UpdateActionResult"})
  void cancelledWrite_endsTheCallAndNoRead(String method) throws Exception {
    get(store.put("small", bytes(10)));
    CountDownLatch cancelled = server.hang(method);
    Semaphore reading = new Semaphore(0);
    Semaphore going = new Semaphore(0);
    server.before.put(
        "BatchReadBlobs",
        () -> {
          reading.release();
          going.acquireUninterruptibly();
        });
    CompletableFuture<Optional<byte[]>> read = store.get("small", MAX);
    reading.acquire();
    CompletableFuture<Void> write = store.put("large", bytes(LARGE));
    server.hung.acquire();
    write.cancel(false);
    await(cancelled);
    going.release(2);
    assertThat(get(read)).isPresent();
    server.hanging.clear();
    get(store.put("large", bytes(LARGE)));
  }

  @Test
  void batch_isCancelledOnceNobodyWaitsForIt() throws Exception {
    get(store.put("a", bytes(10)));
    get(store.put("b", bytes(11)));
    // The first batch is of one; the other waits for it, and then for the second.
    CountDownLatch cancelled = server.hang("BatchReadBlobs");
    CompletableFuture<Optional<byte[]>> one = store.get("a", MAX);
    server.hung.acquire();
    CompletableFuture<Optional<byte[]>> two = store.get("b", MAX);
    one.cancel(false);
    await(cancelled);
    server.hung.acquire();
    assertThat(two).isNotDone();
    two.cancel(false);
  }

  @Test
  void close_failsWhatIsUnderWayAndEndsAllThreads() throws Exception {
    List<Thread> before = List.copyOf(Thread.getAllStackTraces().keySet());
    server.hang("GetActionResult");
    CompletableFuture<Optional<byte[]>> read = store.get("a", MAX);
    server.hung.acquire();
    List<Thread> own =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> !before.contains(thread) && thread.getName().startsWith("kcache"))
            .toList();
    assertThat(own).isNotEmpty().allMatch(Thread::isDaemon);
    long start = System.nanoTime();
    store.close();
    assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(1));
    assertThatThrownBy(() -> get(read)).isInstanceOf(ExecutionException.class);
    assertThatThrownBy(() -> get(store.get("a", MAX))).hasMessageContaining("closed");
    assertThatThrownBy(() -> get(store.put("a", bytes(1)))).hasMessageContaining("closed");
    for (Thread each : own) {
      each.join(TimeUnit.SECONDS.toMillis(10));
      assertThat(each.isAlive()).as(each.getName()).isFalse();
    }
  }

  @Test
  void serverThatTakesNoResults_isRead() throws Exception {
    get(store.put("a", bytes(10)));
    server.capabilities = FakeServer.capabilities(0, false);
    try (RemoteStore reader = open(server.url())) {
      long before = server.count("FindMissingBlobs");
      assertThatThrownBy(() -> get(reader.put("b", bytes(10))))
          .hasMessageContaining("its action cache can't be written by clients");
      assertThat(server.count("FindMissingBlobs")).isEqualTo(before);
      assertThat(get(reader.get("a", MAX))).isPresent();
    }
  }

  @Test
  void serverWithoutCacheOrDigestFunction_isRefused() throws Exception {
    server.capabilities = ServerCapabilities.getDefaultInstance();
    assertThatThrownBy(() -> read("a")).hasMessageContaining("it has no cache");
    server.capabilities =
        ServerCapabilities.newBuilder()
            .setCacheCapabilities(CacheCapabilities.newBuilder().addDigestFunctionsValue(9).build())
            .build();
    assertThatThrownBy(() -> read("a")).hasMessageContaining("it does not have SHA-256");
    server.capabilities = FakeServer.capabilities(0, true);
    assertThat(read("a")).isEmpty();
  }

  @Test
  void failure_isOneLineWithWhatToDo() throws Exception {
    expect(
        "GetCapabilities", Status.UNAUTHENTICATED, "; set what it asks for in KCACHE_GRPC_HEADERS");
    expect(
        "GetActionResult",
        Status.PERMISSION_DENIED,
        "; set what it asks for in KCACHE_GRPC_HEADERS");
    expect("GetCapabilities", Status.UNIMPLEMENTED, "; it is no cache of the Remote Execution API");
    expect("GetActionResult", Status.UNIMPLEMENTED, "; it is no cache of the Remote Execution API");
    expect("GetCapabilities", Status.NOT_FOUND, "; does it have the instance ''?");
    expect("GetCapabilities", Status.INVALID_ARGUMENT, "; does it have the instance ''?");
    expect("GetActionResult", Status.RESOURCE_EXHAUSTED, "");
    server.failures.clear();
    assertThat(read("a")).isEmpty();
    server.failures.put("UpdateActionResult", Status.PERMISSION_DENIED.withDescription("a reason"));
    assertThatThrownBy(() -> get(store.put("a", bytes(1))))
        .hasMessageContaining("PERMISSION_DENIED: a reason; set what");
  }

  private void expect(String method, Status status, String advice) {
    server.failures.clear();
    server.failures.put(method, status.withDescription("a\nreason"));
    assertThatThrownBy(() -> read("a"))
        .cause()
        .isInstanceOf(IOException.class)
        .hasMessage(status.getCode() + ": a reason" + advice);
  }

  @Test
  void blobThatCantBeRead_failsAlone() throws Exception {
    get(store.put("a", bytes(10)));
    server.failures.put("BatchReadBlobs", Status.RESOURCE_EXHAUSTED.withDescription("busy"));
    assertThatThrownBy(() -> read("a")).hasMessageContaining("RESOURCE_EXHAUSTED: busy");
    server.failures.clear();
    assertThat(read("a")).isPresent();
  }

  @Test
  void requests_nameTheToolAndBearTheHeaders() throws Exception {
    Map<String, String> environment = Map.of("KCACHE_GRPC_HEADERS", "x-api-key=secret,b=other");
    try (RemoteStore named = new ReapiStoreProvider().open(URI.create(server.url()), environment)) {
      get(named.put("a", bytes(LARGE)));
      get(named.get("a", MAX));
      server.failures.put(
          "GetActionResult", Status.UNAUTHENTICATED.withDescription("a wrong key: secret"));
      assertThatThrownBy(() -> get(named.get("a", MAX)))
          .hasMessageContaining("a wrong key: ***")
          .message()
          .doesNotContain("secret");
    }
    Metadata.Key<byte[]> key =
        Metadata.Key.of(
            "build.bazel.remote.execution.v2.requestmetadata-bin", Metadata.BINARY_BYTE_MARSHALLER);
    assertThat(server.headers).hasSizeGreaterThan(5);
    for (Metadata each : server.headers) {
      assertThat(RequestMetadata.parseFrom(each.get(key)).getToolDetails())
          .matches(tool -> tool.getToolName().equals("kcache"))
          .matches(tool -> tool.getToolVersion().matches("[0-9]+[.].*"));
      assertThat(each.get(Metadata.Key.of("x-api-key", Metadata.ASCII_STRING_MARSHALLER)))
          .isEqualTo("secret");
    }
  }

  @Test
  void list_isNotSupported() {
    assertThatThrownBy(() -> get(store.list("")))
        .hasCauseInstanceOf(UnsupportedOperationException.class);
  }
}
