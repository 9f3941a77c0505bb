// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStore.Lease;
import dev.kcache.cache.standin.LocalServer;
import dev.kcache.cache.standin.RemoteTestBase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Against nginx's WebDAV, the stand-ins for S3 and Azure, and what may be in their place. */
@Tag("fleet")
class ServersTest extends RemoteTestBase {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int MAX = 1 << 20;

  private static final Map<String, StorageServer> SERVERS = new HashMap<>();

  @TempDir static Path served;

  @BeforeAll
  static void start() throws Exception {
    SERVERS.put("webdav", StorageServer.webDav(Files.createDirectory(served.resolve("webdav"))));
    SERVERS.put("s3", StorageServer.s3Rver(Files.createDirectory(served.resolve("s3"))));
    SERVERS.put("azblob", StorageServer.azurite(Files.createDirectory(served.resolve("azblob"))));
  }

  @AfterAll
  static void end() {
    SERVERS.values().forEach(StorageServer::close);
    SERVERS.clear();
  }

  private static StorageServer server(String scheme) {
    return Objects.requireNonNull(SERVERS.get(scheme));
  }

  private static RemoteStore open(StorageServer server) {
    return new OpenDalStoreProvider().open(URI.create(server.url()), server.credentials());
  }

  /** The holder falls silent; who asks again and again has it about two seconds later. */
  @Test
  void leaseOfAzure_isTakenOverAfterItsLifetime() throws Exception {
    Duration second = Duration.ofSeconds(1);
    try (RemoteStore one = open(server("azblob"));
        RemoteStore two = open(server("azblob"))) {
      long start = System.nanoTime();
      assertThat(get(one.lease("lease/b", "one", second))).isEqualTo(Lease.HELD);
      Lease lease = get(two.lease("lease/b", "two", MINUTE));
      assertThat(lease).isEqualTo(Lease.TAKEN);
      while (lease == Lease.TAKEN && System.nanoTime() - start < 10_000_000_000L) {
        lease = get(two.lease("lease/b", "two", MINUTE));
      }
      assertThat(lease).isEqualTo(Lease.HELD);
      assertThat(System.nanoTime() - start).isGreaterThan(second.toNanos());
      assertThat(get(one.lease("lease/b", "one", second))).isEqualTo(Lease.TAKEN);
    }
  }

  /**
   * S3rver knows no condition and overwrites, as S3 does not: each who asks has the lease, which is
   * the second compile that a lost lease costs.
   */
  @Test
  void leaseOfS3_isAnObjectWhichTheStandInOverwrites() throws Exception {
    try (RemoteStore store = open(server("s3"))) {
      assertThat(get(store.lease("lease/a", "one", MINUTE))).isEqualTo(Lease.HELD);
      assertThat(get(store.get("lease/a", MAX)).orElseThrow()).asString().isEqualTo("one 60000");
      get(store.release("lease/a", "two"));
      assertThat(get(store.lease("lease/a", "two", MINUTE))).isEqualTo(Lease.HELD);
      assertThat(get(store.get("lease/a", MAX)).orElseThrow()).asString().isEqualTo("two 60000");
      get(store.release("lease/a", "two"));
      assertThat(get(store.get("lease/a", MAX))).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "webdav, KCACHE_WEBDAV_PASSWORD,  wrong-one,    HTTP status 401",
    "s3,     AWS_ACCESS_KEY_ID,       wrong-one,    InvalidAccessKeyId",
    "azblob, AZURE_STORAGE_KEY,       d3Jvbmctb25l, AuthorizationFailure",
  })
  void wrongCredentials_costAWarning(String scheme, String variable, String value, String told) {
    StorageServer server = server(scheme);
    Map<String, String> credentials = new HashMap<>(server.credentials());
    credentials.put(variable, value);
    assertThat(origin("one", server.url(), credentials)).isEqualTo(Origin.COMPILED);
    assertThat(warnings.lines().get(0)).contains(scheme + "://", told).doesNotContain(value, "\n");
  }

  @ParameterizedTest
  @CsvSource({"s3, NoSuchBucket", "azblob, ContainerNotFound"})
  void missingBucket_costsAWarning(String scheme, String told) {
    StorageServer server = server(scheme);
    String url = server.url().replace("//kernels", "//nothing");
    assertThat(origin("one", url, server.credentials())).isEqualTo(Origin.COMPILED);
    assertThat(warnings.lines().get(0))
        .contains(scheme + "://nothing", told, "; create it, or correct its name; going on");
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3", "azblob"})
  void webServer_isNoObjectStore(String scheme) {
    StorageServer server = server(scheme);
    String url =
        server.url().replaceFirst("127.0.0.1:[0-9]+", "127.0.0.1:" + server("webdav").port());
    assertThat(origin("one", url, server.credentials())).isEqualTo(Origin.COMPILED);
    assertThat(warnings.lines().get(0)).contains(scheme + "://kernels", "HTTP status 40");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "webdav://127.0.0.1:PORT",
        "webdavs://127.0.0.1:PORT",
        "s3://kernels?endpoint=http://127.0.0.1:PORT",
        "azblob://kernels?endpoint=http://127.0.0.1:PORT/a",
      })
  void absentServer_costsAWarning(String url) throws IOException {
    Map<String, String> credentials = new HashMap<>(server("s3").credentials());
    credentials.putAll(server("azblob").credentials());
    assertThat(origin("one", url.replace("PORT", "" + LocalServer.freePort()), credentials))
        .isEqualTo(Origin.COMPILED);
    assertThat(warnings.lines().get(0)).contains(": tcp connect error: Connection refused");
  }

  @Test
  void serverThatSpeaksSomethingElse_costsAWarning() throws IOException {
    try (Peer peer = new Peer("-ERR unknown command\r\n")) {
      assertThat(origin("one", peer.url("webdav"), Map.of())).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines().get(0)).contains(": invalid HTTP version parsed; going on");
      forgetWarnings();
      assertThat(origin("two", peer.url("webdavs"), Map.of())).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines().get(0)).contains("received corrupt message");
    }
  }

  @Test
  void proxyThatTruncates_costsAWarning() throws Exception {
    StorageServer server = server("webdav");
    String url = server.url() + "/truncated";
    Map<String, String> writer = new HashMap<>(server.credentials());
    writer.putAll(WRITES);
    assertThat(origin("one", url, writer)).isEqualTo(Origin.COMPILED);
    byte[] entry;
    try (RemoteStore store =
        new OpenDalStoreProvider().open(URI.create(url), server.credentials())) {
      entry = get(store.get(get(store.list("")).get(0), MAX)).orElseThrow();
    }
    String half = new String(entry, 0, entry.length / 2, ISO_8859_1);
    try (Peer whole = new Peer(properties(half.length()), answer(half.length(), half));
        Peer cut = new Peer(properties(entry.length), answer(entry.length, half))) {
      assertThat(origin("two", cut.url("webdav"), Map.of())).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines().get(0))
          .contains(cut.url("webdav") + ": read data from http response: error decoding");
      forgetWarnings();
      assertThat(origin("three", whole.url("webdav"), Map.of())).isEqualTo(Origin.COMPILED);
      assertThat(warnings.lines().get(0)).contains(whole.url("webdav"));
    }
  }

  private static String answer(int length, String body) {
    return "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + length + "\r\n\r\n" + body;
  }

  /** What WebDAV answers to the question for the length. */
  private static String properties(int length) {
    String body = propertiesOf(length);
    return answer(body.length(), body).replace("200 OK\r\nC", "207 Multi-Status\r\nC");
  }

  /** Returns the body of the answer. */
  static String propertiesOf(int length) {
    return """
        <?xml version="1.0"?><D:multistatus xmlns:D="DAV:"><D:response><D:href>/a</D:href>\
        <D:propstat><D:prop><D:getcontentlength>%d</D:getcontentlength>\
        <D:getlastmodified>Fri, 01 Nov 2024 00:00:00 GMT</D:getlastmodified>\
        <D:resourcetype/></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>\
        </D:response></D:multistatus>"""
        .formatted(length);
  }

  @Test
  void answerThatRepeatsThePassword_isNotQuoted() throws Exception {
    try (Peer peer = new Peer("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nhas secret");
        RemoteStore store =
            new OpenDalStoreProvider()
                .open(URI.create(peer.url("webdav")), server("webdav").credentials())) {
      assertThatThrownBy(() -> get(store.get("a", MAX))).cause().hasMessage("has ***");
    }
  }

  /** Somebody who answers each request for the length in one way, and others in another. */
  private static final class Peer implements AutoCloseable {
    private final ServerSocket socket;

    Peer(String answer) throws IOException {
      this(answer, answer);
    }

    Peer(String length, String answer) throws IOException {
      socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      Thread accepting = new Thread(() -> accept(length, answer), "peer");
      accepting.setDaemon(true);
      accepting.start();
    }

    private void accept(String length, String answer) {
      byte[] buffer = new byte[1 << 16];
      while (!socket.isClosed()) {
        try (Socket client = socket.accept()) {
          if (client.getInputStream().read(buffer) > 0) {
            String told = buffer[1] == 'R' ? length : answer; // PROPFIND, or GET
            client.getOutputStream().write(told.getBytes(ISO_8859_1));
          }
        } catch (IOException e) {
          // The client or the peer is gone: the next one is served.
        }
      }
    }

    String url(String scheme) {
      return scheme + "://127.0.0.1:" + socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
