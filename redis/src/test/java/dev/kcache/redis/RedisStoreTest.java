// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStore.Lease;
import dev.kcache.cache.standin.LocalServer;
import dev.kcache.cache.standin.RemoteTestBase;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Against a real server, and against what may be in its place. */
@Tag("fleet")
class RedisStoreTest extends RemoteTestBase {
  private static final int MAX = 1 << 20;

  private Origin origin(String name, String url) {
    return origin(name, url, Map.of());
  }

  private static RemoteStore open(String url) {
    return new RedisStoreProvider().open(URI.create(url), Map.of());
  }

  @Test
  void keys_areOfKcache() throws IOException {
    try (RedisServer server = RedisServer.start(temp)) {
      String url = server.url("");
      assertThat(origin("one", url, WRITES)).isEqualTo(Origin.COMPILED);
      assertThat(server.ask("keys", "*").lines())
          .hasSize(2)
          .allMatch(key -> key.matches("kcache:gfx90a/[0-9a-f]{64}/([0-9a-f]{64}|any)"));
    }
  }

  @Test
  void lease_hasOneHolderUntilItEndsOrIsReleased() throws Exception {
    Duration minute = Duration.ofMinutes(1);
    try (RedisServer server = RedisServer.start(temp);
        RemoteStore store = open(server.url(""))) {
      assertThat(get(store.lease("lease/a", "one", minute))).isEqualTo(Lease.HELD);
      assertThat(get(store.lease("lease/a", "two", minute))).isEqualTo(Lease.TAKEN);
      assertThat(get(store.lease("lease/b", "two", minute))).isEqualTo(Lease.HELD);
      server.ask("pexpire", "kcache:lease/a", "30000");
      assertThat(get(store.lease("lease/a", "two", minute))).isEqualTo(Lease.TAKEN);
      assertThat(millisLeft(server)).isBetween(1L, 30_000L);
      assertThat(get(store.lease("lease/a", "one", minute))).isEqualTo(Lease.HELD);
      assertThat(millisLeft(server)).isBetween(30_001L, 60_000L);

      get(store.release("lease/a", "two"));
      assertThat(get(store.lease("lease/a", "two", minute))).isEqualTo(Lease.TAKEN);
      get(store.release("lease/a", "one"));
      assertThat(get(store.lease("lease/a", "two", minute))).isEqualTo(Lease.HELD);

      // As by the server's own clock.
      server.ask("pexpire", "kcache:lease/a", "0");
      assertThat(get(store.lease("lease/a", "one", minute))).isEqualTo(Lease.HELD);
      get(store.release("lease/none", "one"));
    }
  }

  private static long millisLeft(RedisServer server) throws IOException {
    return Long.parseLong(server.ask("pttl", "kcache:lease/a").strip());
  }

  @Test
  void list_namesEachValueOnce() throws Exception {
    try (RedisServer server = RedisServer.start(temp);
        RemoteStore store = open(server.url(""))) {
      assertThat(get(store.list(""))).isEmpty();
      for (int i = 0; i < 2500; i++) {
        var unused = store.put("gfx90a/" + i, new byte[] {1});
      }
      get(store.put("gfx942-sramecc+/a", new byte[] {1}));
      server.ask("set", "gfx90a/other", "of somebody else");
      assertThat(get(store.list(""))).hasSize(2501).doesNotHaveDuplicates().contains("gfx90a/7");
      assertThat(get(store.list("gfx90a/249"))).hasSize(11).contains("gfx90a/2499");
      assertThat(get(store.list("gfx942-sramecc+"))).containsExactly("gfx942-sramecc+/a");
      // What means something in a pattern is none of a name.
      for (String pattern : List.of("gfx90*", "gfx90?", "gfx90[a]", "gfx90[^b]", "\\gfx90a")) {
        assertThat(get(store.list(pattern))).as(pattern).isEmpty();
      }
    }
  }

  @Test
  void accountOfAWriter_needsNoMoreThanTheDocumentSays() throws Exception {
    try (RedisServer server = RedisServer.start(temp)) {
      server.ask("acl setuser ann on >secret ~kcache:* +getrange +scan".split(" "));
      server.ask(
          "acl setuser bob on >secret ~kcache:* +getrange +scan +set +get +del +pexpire"
              .split(" "));
      try (RemoteStore store = open(server.url("bob:secret@"))) {
        Duration minute = Duration.ofMinutes(1);
        get(store.put("a", new byte[] {1}));
        for (String holder : List.of("one", "two", "one")) {
          get(store.lease("lease/a", holder, minute));
        }
        get(store.release("lease/a", "one"));
        assertThat(get(store.list(""))).containsExactly("a");
      }
      try (RemoteStore store = open(server.url("ann:secret@"))) {
        assertThat(get(store.list(""))).containsExactly("a");
        assertThatThrownBy(() -> get(store.lease("lease/a", "one", Duration.ofMinutes(1))))
            .hasMessageContaining("NOPERM");
        assertThat(get(store.get("a", MAX))).isPresent();
      }
    }
  }

  @Test
  void password_isTakenFromUrlOrVariableAndNeverTold() throws IOException {
    try (RedisServer server = RedisServer.start(temp, "--requirepass", "secret")) {
      assertThat(origin("one", server.url(":secret@"), WRITES)).isEqualTo(Origin.COMPILED);
      assertThat(origin("two", server.url(""), Map.of("KCACHE_REDIS_PASSWORD", "secret")))
          .isEqualTo(Origin.REMOTE);
      assertThat(warnings.lines())
          .singleElement()
          .asString()
          .startsWith("whoever can write remote ");
      forgetWarnings();

      assertThat(origin("three", server.url(":wrong-one@"))).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines())
          .singleElement()
          .asString()
          .contains(server.url(""), "WRONGPASS")
          .doesNotContain("wrong-one", "\n");
      forgetWarnings();
      assertThat(origin("four", server.url(""))).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines()).singleElement().asString().contains("NOAUTH");
    }
  }

  @Test
  void userWhoMayOnlyRead_reads() throws IOException {
    try (RedisServer server = RedisServer.start(temp)) {
      assertThat(origin("one", server.url(""), WRITES)).isEqualTo(Origin.COMPILED);
      server.ask("acl", "setuser", "ann", "on", ">secret", "~kcache:*", "+getrange");
      String url = server.url("ann:secret@");
      KernelSource other = KernelSource.of("o.hip", "__global__ void o() {}\n");
      try (CacheManager cache = node("two", url, WRITES)) {
        cache.getOrCompile(other, GFX90A);
      }
      assertThat(warnings.lines()).hasSize(2);
      assertThat(warnings.lines().get(0)).contains("NOPERM").doesNotContain("secret");
      assertThat(warnings.lines().get(1)).endsWith("not uploaded to each remote: 1");
      assertThat(origin("three", url)).isEqualTo(Origin.REMOTE);
    }
  }

  @Test
  void serverKilledInTheMiddle_isUsedAgainWhenItIsBack() throws Exception {
    int port = LocalServer.freePort();
    try (RemoteStore store = open("redis://127.0.0.1:" + port)) {
      assertThatThrownBy(() -> get(store.get("a", MAX))).isInstanceOf(ExecutionException.class);
      try (RedisServer server = RedisServer.start(temp, port)) {
        get(store.put("a", new byte[] {1}));
        assertThat(server.port()).isEqualTo(port);
      }
      assertThatThrownBy(() -> get(store.get("a", MAX))).isInstanceOf(ExecutionException.class);
      try (RedisServer server = RedisServer.start(temp, port)) {
        assertThat(get(store.get("a", MAX))).isEmpty();
        assertThat(server.port()).isEqualTo(port);
      }
    }
  }

  @Test
  void absentServer_costsAWarning() throws IOException {
    assertThat(origin("one", "redis://127.0.0.1:" + LocalServer.freePort()))
        .isEqualTo(Origin.COMPILED);
    assertThat(warnings.lines()).singleElement().asString().contains("Connection refused");
  }

  @Test
  void serverThatSpeaksSomethingElse_costsAWarning() throws IOException {
    try (Peer peer =
        new Peer(
            client -> {
              client.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII));
              client.close();
            })) {
      assertThat(origin("one", peer.url())).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines()).singleElement().asString().contains(peer.url());
    }
  }

  /** As a Redis from before version 6 does with a command that it does not know. */
  @Test
  void serverThatRepeatsThePassword_isNotQuoted() throws IOException {
    try (Peer peer = new Peer(RedisStoreTest::repeating)) {
      String url = peer.url().replace("//", "//:secret@");
      assertThat(origin("one", url)).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines())
          .singleElement()
          .asString()
          .contains(peer.url(), "unknown command", "***")
          .doesNotContain("secret");
    }
  }

  private static void repeating(Socket client) throws IOException {
    byte[] buffer = new byte[1 << 16];
    for (int read = client.getInputStream().read(buffer); read > 0; ) {
      String asked = new String(buffer, 0, read, US_ASCII).replaceAll("\\s+", " ");
      client
          .getOutputStream()
          .write(("-ERR unknown command with " + asked + "\r\n").getBytes(US_ASCII));
      read = client.getInputStream().read(buffer);
    }
  }

  @Test
  void serverThatIsSilent_isAskedByANewConnectionOnceTheWaiterIsGone() throws Exception {
    List<Socket> connected = new CopyOnWriteArrayList<>();
    try (Peer peer = new Peer(connected::add);
        RemoteStore store = open(peer.url())) {
      CompletableFuture<Optional<byte[]>> first = store.get("a", MAX);
      peer.awaitConnections(1);
      assertThat(first).isNotDone();
      // As who has waited for as long as it wants to.
      first.cancel(false);
      CompletableFuture<Optional<byte[]>> second = store.get("a", MAX);
      peer.awaitConnections(2);
      assertThat(second).isNotDone();
    }
  }

  @Test
  void proxyThatTruncates_costsAWarning() throws IOException {
    try (RedisServer server = RedisServer.start(temp)) {
      assertThat(origin("one", server.url(""), WRITES)).isEqualTo(Origin.COMPILED);
      try (Peer proxy = new Peer(client -> truncating(client, server.port()))) {
        assertThat(origin("two", proxy.url())).isEqualTo(Origin.COMPILED);
        assertThat(warnings.lines()).singleElement().asString().contains(proxy.url());
      }
      assertThat(origin("three", server.url(""))).isEqualTo(Origin.REMOTE);
    }
  }

  /** Passes on all that is asked, and of the answers what comes before the middle of an entry. */
  private static void truncating(Socket client, int port) throws IOException {
    try (Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
        client) {
      Thread asking =
          new Thread(
              () -> {
                try {
                  client.getInputStream().transferTo(server.getOutputStream());
                } catch (IOException e) {
                  // Closed.
                  return;
                }
              });
      asking.setDaemon(true);
      asking.start();
      InputStream from = server.getInputStream();
      OutputStream to = client.getOutputStream();
      byte[] buffer = new byte[1 << 16];
      for (int read = from.read(buffer); read > 0; read = from.read(buffer)) {
        // The answers of the handshake are shorter.
        boolean isEntry = read > 1000;
        to.write(buffer, 0, isEntry ? read / 2 : read);
        if (isEntry) {
          return;
        }
      }
    }
  }

  @Test
  void close_leavesNoThreadThatKeepsAProgramAlive() throws Exception {
    List<Thread> before = threads();
    try (RedisServer server = RedisServer.start(temp)) {
      RemoteStore store = open(server.url(""));
      get(store.put("a", new byte[] {1}));
      assertThat(threads())
          .filteredOn(each -> !before.contains(each) && !isOfNetty(each))
          .isNotEmpty()
          .allMatch(Thread::isDaemon);
      long start = System.nanoTime();
      store.close();
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(2));
      assertThatThrownBy(() -> get(store.get("a", MAX))).hasMessageContaining("closed");
      for (Thread each : threads()) {
        if (!before.contains(each) && each.getName().matches("(lettuce|kcache-redis).*")) {
          each.join(TimeUnit.SECONDS.toMillis(10));
          assertThat(each.isAlive()).as(each.getName()).isFalse();
        }
      }
      // The thread that shuts them down is no daemon: a program may end before it starts.
      assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.SECONDS.toNanos(1));
    }
  }

  /** One for the whole process, which ends when it has had nothing to do for a second. */
  private static boolean isOfNetty(Thread thread) {
    return thread.getName().startsWith("globalEventExecutor");
  }

  private static List<Thread> threads() {
    return List.copyOf(Thread.getAllStackTraces().keySet());
  }

  /** Somebody who listens where a Redis is expected. */
  private static final class Peer implements AutoCloseable {
    private final ServerSocket socket;
    private final List<Socket> connected = new CopyOnWriteArrayList<>();

    /** What it does with a client. */
    interface Behaviour {
      void serve(Socket client) throws IOException;
    }

    Peer(Behaviour behaviour) throws IOException {
      socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      Thread accepting = new Thread(() -> accept(behaviour), "peer");
      accepting.setDaemon(true);
      accepting.start();
    }

    private void accept(Behaviour behaviour) {
      while (!socket.isClosed()) {
        try {
          Socket client = socket.accept();
          synchronized (this) {
            connected.add(client);
            notifyAll();
          }
          behaviour.serve(client);
        } catch (IOException e) {
          // The client or the peer is gone: the next one is served.
        }
      }
    }

    synchronized void awaitConnections(int number) throws InterruptedException {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (connected.size() < number) {
        assertThat(System.nanoTime()).isLessThan(end);
        wait(1000);
      }
    }

    String url() {
      return "redis://127.0.0.1:" + socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      socket.close();
      for (Socket client : connected) {
        client.close();
      }
    }
  }
}
