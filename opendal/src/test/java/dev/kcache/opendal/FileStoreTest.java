// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStore.Lease;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** OpenDAL itself, on a directory. */
class FileStoreTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @TempDir Path temp;

  private RemoteStore open(Path directory) {
    return new OpenDalStoreProvider().open(directory.toUri(), Map.of());
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  @Test
  void value_isWrittenAsAWholeAndLeavesNothingBeside() throws Exception {
    try (RemoteStore store = open(temp)) {
      get(store.put("gfx90a-xnack+/a/any", new byte[100_000]));
      assertThat(temp.resolve("gfx90a-xnack+/a/any")).hasSize(100_000);
      assertThat(temp.resolve(".kcache-tmp")).isEmptyDirectory();
    }
  }

  @Test
  void hugeValue_isNotRead() throws Exception {
    try (RemoteStore store = open(temp);
        var sparse = new RandomAccessFile(temp.resolve("huge").toFile(), "rw")) {
      sparse.setLength(1L << 40);
      assertThat(get(store.get("huge", 10)).orElseThrow()).hasSize(11);
    }
  }

  @Test
  void list_hasTheNamesWithThePrefix() throws Exception {
    try (RemoteStore store = open(temp)) {
      for (String name : List.of("gfx90a/a/any", "gfx90a/b", "gfx942/a", "clock")) {
        get(store.put(name, new byte[] {1}));
      }
      Files.write(temp.resolve("gfx90a/.nfs1"), new byte[] {1});
      Files.write(temp.resolve("gfx90a/a.txt"), new byte[] {1});
      Files.createSymbolicLink(temp.resolve("gfx90a/link"), temp.resolve("clock"));
      assertThat(get(store.list("gfx90a/"))).containsExactlyInAnyOrder("gfx90a/a/any", "gfx90a/b");
      assertThat(get(store.list("gfx9"))).hasSize(3);
      assertThat(get(store.list(""))).hasSize(4).contains("gfx942/a", "clock");
      assertThat(get(store.list("gfx1100/"))).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "/a", "a/", "a//b", "../a", "a/../b", "a/.b", "a.b", "a b", "a\nb", "a\\b"})
  void otherNames_areRefused(String name) throws Exception {
    try (RemoteStore store = open(temp)) {
      assertThatThrownBy(() -> store.get(name, 1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> store.put(name, new byte[1]))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> store.lease(name, "one", MINUTE))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> store.list(name + "/../"))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void lease_hasOneHolderUntilItEnds() throws Exception {
    try (RemoteStore one = open(temp);
        RemoteStore two = open(temp)) {
      assertThat(get(one.lease("lease/a", "one", MINUTE))).isEqualTo(Lease.HELD);
      assertThat(get(two.lease("lease/a", "two", MINUTE))).isEqualTo(Lease.TAKEN);
      assertThat(get(one.lease("lease/a", "one", MINUTE))).isEqualTo(Lease.HELD);
      assertThat(get(two.lease("lease/b", "two", MINUTE))).isEqualTo(Lease.HELD);

      get(two.release("lease/a", "two"));
      assertThat(get(two.lease("lease/a", "two", MINUTE))).isEqualTo(Lease.TAKEN);
      get(one.release("lease/a", "one"));
      get(one.release("lease/a", "one"));
      assertThat(get(two.lease("lease/a", "two", MINUTE))).isEqualTo(Lease.HELD);
      assertThat(temp.resolve("lease/a")).hasContent("two 60000");
    }
  }

  @Test
  void lease_hasOneHolderOfManyWhoAskAtOnce() throws Exception {
    try (RemoteStore store = open(temp)) {
      for (int round = 0; round < 20; round++) {
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
          asked.add(store.lease("lease/" + round, "holder-" + i, MINUTE));
        }
        List<Lease> answers = new ArrayList<>();
        for (CompletableFuture<Lease> each : asked) {
          answers.add(get(each));
        }
        assertThat(answers).containsOnlyOnce(Lease.HELD).contains(Lease.TAKEN).hasSize(16);
      }
    }
  }

  /** A value may have any name; the clock has one that none has. */
  @Test
  void clockOfLeases_isNoValue() throws Exception {
    try (RemoteStore one = open(temp)) {
      get(one.put("clock", new byte[] {7}));
      get(one.lease("lease/a", "one", MINUTE));
      assertThat(get(one.lease("lease/a", "two", MINUTE))).isEqualTo(Lease.TAKEN);
      assertThat(get(one.get("clock", 10))).contains(new byte[] {7});
      assertThat(get(one.list(""))).containsExactlyInAnyOrder("clock", "lease/a");
    }
  }

  @Test
  void links_areNotFollowed() throws Exception {
    Path root = Files.createDirectory(temp.resolve("root"));
    Path outside = Files.createDirectory(temp.resolve("outside"));
    Files.writeString(outside.resolve("file"), "1");
    Files.createSymbolicLink(root.resolve("file"), outside.resolve("file"));
    Files.createSymbolicLink(root.resolve("directory"), outside);
    Files.createSymbolicLink(root.resolve("nothing"), outside.resolve("nothing"));
    try (RemoteStore store = open(root)) {
      // No entry is so short: the cache refuses that, and goes on asking for others.
      assertThat(get(store.get("file", 10))).contains(new byte[0]);
      assertThat(get(store.get("directory/file", 10))).contains(new byte[0]);
      assertThat(get(store.list("directory/"))).isEmpty();
      for (String name : List.of("file", "directory/file", "directory/new", "nothing")) {
        assertIsNotPlain(store.put(name, new byte[] {2}));
        assertIsNotPlain(store.lease(name, "one", MINUTE));
        assertIsNotPlain(store.release(name, "one"));
      }
      get(store.lease("lease/a", "one", MINUTE));
      Files.createSymbolicLink(root.resolve(".kcache-clock"), outside.resolve("file"));
      assertIsNotPlain(store.lease("lease/a", "two", MINUTE));
    }
    assertThat(outside.resolve("file")).hasContent("1");
    assertThat(outside).isDirectoryNotContaining("glob:**/{new,nothing}");
  }

  private static void assertIsNotPlain(CompletableFuture<?> request) {
    assertThatThrownBy(() -> get(request))
        .hasMessageEndingWith(" is no plain file in plain directories");
  }

  @Test
  void linkForUnfinishedFiles_isRefused() throws Exception {
    Path root = Files.createDirectory(temp.resolve("root"));
    Files.createSymbolicLink(root.resolve(".kcache-tmp"), temp);
    try (RemoteStore store = open(root)) {
      assertThatThrownBy(() -> get(store.put("a", new byte[1])))
          .hasMessageEndingWith(".kcache-tmp is no directory; remove it");
    }
  }

  /** To open a pipe would wait until somebody writes. */
  @Test
  void pipe_isNotOpened() throws Exception {
    assertThat(new ProcessBuilder("mkfifo", "" + temp.resolve("pipe")).start().waitFor()).isZero();
    try (RemoteStore store = open(temp)) {
      assertThat(get(store.get("pipe", 10))).contains(new byte[0]);
    }
  }

  /** It tells one length and sends another, for as long as somebody reads. */
  @Test
  void serverThatSendsMoreThanItSaid_isCutOff() throws Exception {
    for (String scheme : List.of("webdav://", "s3://kernels?endpoint=http://")) {
      try (EndlessServer server = new EndlessServer(10);
          RemoteStore store = server.open(scheme)) {
        assertThat(get(store.get("a", 1000)).orElseThrow()).as(scheme).hasSize(1001);
        assertThat(server.sent().get(20, TimeUnit.SECONDS)).as(scheme).isLessThan(1L << 26);
      }
    }
  }

  /** OpenDAL has no deadline; a server that is silent must not be sent more and more. */
  @Test
  void requestsWithoutAnAnswer_areSoMany() throws Exception {
    ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    URI url = URI.create("webdav://127.0.0.1:" + silent.getLocalPort());
    try (RemoteStore store = new OpenDalStoreProvider().open(url, Map.of())) {
      List<CompletableFuture<?>> asked = new ArrayList<>();
      for (int i = 0; i < 512; i++) {
        asked.add(store.get("a", 10));
      }
      assertThatThrownBy(() -> get(store.get("a", 10)))
          .hasMessageEndingWith(": 512 earlier requests still have no answer");
      assertThat(asked).noneMatch(CompletableFuture::isDone);
      silent.close();
      assertThatThrownBy(() -> get(asked.get(0))).hasMessageNotContaining("earlier");
      assertThatThrownBy(() -> get(store.get("a", 10))).hasMessageNotContaining("earlier");
    }
  }

  @Test
  void lease_isTakenOverAfterItsLifetimeByTheClockOfTheStore() throws Exception {
    try (RemoteStore one = open(temp);
        RemoteStore two = open(temp)) {
      assertThat(get(one.lease("lease/a", "one", MINUTE))).isEqualTo(Lease.HELD);
      writtenBefore(Duration.ofSeconds(55));
      assertThat(get(two.lease("lease/a", "two", Duration.ofSeconds(1)))).isEqualTo(Lease.TAKEN);
      writtenBefore(Duration.ofSeconds(65));
      assertThat(get(two.lease("lease/a", "two", MINUTE))).isEqualTo(Lease.HELD);
      assertThat(get(one.lease("lease/a", "one", MINUTE))).isEqualTo(Lease.TAKEN);
      // Prolonging makes it young again.
      writtenBefore(Duration.ofSeconds(65));
      assertThat(get(two.lease("lease/a", "two", MINUTE))).isEqualTo(Lease.HELD);
      assertThat(get(one.lease("lease/a", "one", MINUTE))).isEqualTo(Lease.TAKEN);
    }
  }

  @Test
  void leaseThatIsNotYetWritten_isTakenForTheLifetimeOfWhoAsks() throws Exception {
    Files.createDirectory(temp.resolve("lease"));
    Files.createFile(temp.resolve("lease/a"));
    try (RemoteStore one = open(temp)) {
      assertThat(get(one.lease("lease/a", "one", MINUTE))).isEqualTo(Lease.TAKEN);
      writtenBefore(Duration.ofSeconds(65));
      assertThat(get(one.lease("lease/a", "one", MINUTE))).isEqualTo(Lease.HELD);
    }
  }

  private void writtenBefore(Duration age) throws IOException {
    Files.setLastModifiedTime(temp.resolve("lease/a"), FileTime.from(Instant.now().minus(age)));
  }

  @Test
  void directoryThatIsNotThere_isOneLineAndUsedOnceItIs() throws Exception {
    Path later = temp.resolve("later");
    try (RemoteStore store = open(later)) {
      assertThatThrownBy(() -> get(store.get("a", 1)))
          .cause()
          .isInstanceOf(IOException.class)
          .hasMessage("there is no such directory; make it, or mount what holds it");
      assertThat(later).doesNotExist();
      Files.createDirectory(later);
      assertThat(get(store.get("a", 1))).isEmpty();
    }
  }

  @Test
  void fileWithTheNameOfADirectory_isOneLine() throws Exception {
    Files.write(temp.resolve("gfx90a"), "x".getBytes(US_ASCII));
    try (RemoteStore store = open(temp)) {
      assertThatThrownBy(() -> get(store.put("gfx90a/a", new byte[1])))
          .cause()
          .message()
          .contains("gfx90a/a is no plain file in plain directories")
          .doesNotContain("\n", "Backtrace", "permanent");
    }
  }

  @Test
  void close_endsIdleAndBusyStores() throws Exception {
    RemoteStore idle = open(temp);
    idle.close();
    assertThatThrownBy(() -> get(idle.get("a", 1))).hasMessageContaining("closed");
    RemoteStore busy = open(temp);
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      writes.add(busy.put("a/" + i, new byte[1_000_000]));
    }
    busy.close();
    assertThat(writes).allMatch(CompletableFuture::isDone);
    assertThatThrownBy(() -> get(writes.get(49))).cause().hasMessage("closed");
    // What is under way goes on in the memory of an operator that must still be there.
    try (RemoteStore other = open(temp)) {
      get(other.put("b", new byte[1]));
    }
    assertThat(URI.create(busy.describe())).hasScheme("file");
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(each -> each.getName().matches("(opendal|kcache-opendal).*"))
        .isNotEmpty()
        .allMatch(Thread::isDaemon);
    deleteWhileItIsWritten(temp.resolve("a"));
  }

  /** What OpenDAL has begun it ends, and nobody hears when. */
  private static void deleteWhileItIsWritten(Path folder) throws IOException {
    for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20); ; ) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.deleteIfExists(file);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        Files.delete(folder);
        return;
      } catch (DirectoryNotEmptyException e) {
        assertThat(System.nanoTime()).as("time").isLessThan(end);
      }
    }
  }
}
