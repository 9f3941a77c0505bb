// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.standin.Warnings;
import dev.kcache.toolchain.standin.FakeHipcc;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.KeyManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said where no server is, or another one than a client expects. */
class WrongServerTest {
  private static final String PASSWORD = "changeit";
  private static final String UNTRUSTED =
      "TLS: the certificate is not trusted (PKIX path building failed: unable to find valid"
          + " certification path to requested target); name a store that has it by"
          + " -Djavax.net.ssl.trustStore=FILE";
  private static final Logger GRPC = Logger.getLogger("io.grpc");

  /** Servers tell of clients whom they don't understand. */
  @BeforeAll
  static void quiet() {
    GRPC.setLevel(Level.WARNING);
  }

  private static String failure(String url) {
    try (RemoteStore store = new ReapiStoreProvider().open(URI.create(url), Map.of())) {
      Throwable failure = catchThrowable(() -> store.get("a", 1000).get(20, TimeUnit.SECONDS));
      assertThat(failure).hasCauseInstanceOf(IOException.class);
      String message = String.valueOf(failure.getCause().getMessage());
      assertThat(message.lines()).hasSize(1);
      return message;
    }
  }

  @Test
  void absentServer_isNamed() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    assertThat(failure("grpc://127.0.0.1:" + port))
        .contains("Connection refused")
        .contains(":" + port);
  }

  @Test
  void unknownHost_isNamed() {
    assertThat(
            Failures.line(
                Status.UNAVAILABLE
                    .withDescription("Unable to resolve host some")
                    .withCause(new RuntimeException(new UnknownHostException("some")))
                    .asRuntimeException()))
        .isEqualTo("unknown host: some");
  }

  @Test
  void serverOfHttp1_isToldAsNoGrpc() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Thread serving =
          new Thread(
              () -> {
                while (!socket.isClosed()) {
                  try (Socket client = socket.accept()) {
                    client
                        .getOutputStream()
                        .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII));
                    client.shutdownOutput();
                    client.getInputStream().transferTo(OutputStream.nullOutputStream());
                  } catch (IOException e) {
                    // The test is over, or the client gone.
                  }
                }
              });
      serving.setDaemon(true);
      serving.start();
      assertThat(failure("grpc://127.0.0.1:" + socket.getLocalPort())).contains("no gRPC");
    }
  }

  @Test
  void tls_wantsATrustedCertificateOfTheHost(@TempDir Path temp) throws Exception {
    Path keys = keys(temp, "san=dns:localhost");
    try (FakeServer server = new FakeServer(tls(keys));
        FakeServer plain = new FakeServer()) {
      assertThat(failure("grpcs://localhost:" + server.port())).isEqualTo(UNTRUSTED);
      Properties before = (Properties) System.getProperties().clone();
      System.setProperty("javax.net.ssl.trustStore", keys.toString());
      System.setProperty("javax.net.ssl.trustStorePassword", PASSWORD);
      try (RemoteStore store =
          new ReapiStoreProvider()
              .open(URI.create("grpcs://localhost:" + server.port()), Map.of())) {
        assertThat(store.get("a", 1000).get(20, TimeUnit.SECONDS)).isEmpty();
        assertThat(failure("grpcs://127.0.0.1:" + server.port()))
            .startsWith("TLS: the certificate is not this host's (")
            .contains("127.0.0.1")
            .endsWith("; use a name that it has");
        assertThat(failure("grpcs://127.0.0.1:" + plain.port()))
            .isEqualTo("TLS: what answers does not speak it; use grpc:// if the server has none");
        assertThat(failure("grpc://127.0.0.1:" + server.port()))
            .matches("(UNAVAILABLE: |Connection reset).*");
      } finally {
        System.setProperties(before);
      }
    }
  }

  /** What is kept is found, and what is missing compiled here. */
  @Test
  void executorWithAWrongCertificate_isReplacedByTheCompilerHere(@TempDir Path temp)
      throws Exception {
    FakeHipcc hipcc = new FakeHipcc(temp.resolve("rocm"));
    Path image = temp.resolve("gfx90a.elf");
    try (InputStream in = getClass().getResourceAsStream("/elf/gfx90a.elf")) {
      Files.copy(in, image);
    }
    hipcc.compilesWith(
        "for main; do :; done; echo \"x: $main\" >../out.d; cat " + image + " >../out.co");
    try (FakeServer server = new FakeServer(tls(keys(temp, "san=dns:localhost")));
        Warnings warnings = Warnings.of("dev.kcache.toolchain.driver")) {
      String url = "grpcs://localhost:" + server.port();
      List<Origin> origins = new ArrayList<>();
      for (int process = 0; process < 2; process++) {
        try (CacheManager cache =
            CacheManager.builder()
                .environment(hipcc.environment(Map.of("KCACHE_EXECUTOR", url)))
                .directory(temp.resolve("cache"))
                .build()) {
          KernelSource source = KernelSource.of("k.hip", "__global__ void k() {}\n");
          origins.add(cache.resolveAsync(source, FakeHipcc.TARGET).join().origin());
        }
      }
      assertThat(origins).containsExactly(Origin.COMPILED, Origin.DISK);
      assertThat(warnings.lines())
          .containsExactly(
              "%s compiles nothing: %s; compiling with %s here"
                  .formatted(url, UNTRUSTED, hipcc.root.resolve("bin/hipcc")));
    }
  }

  private static Path keys(Path temp, String extension) throws Exception {
    Path keys = temp.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "a",
                "-keyalg",
                "EC",
                "-dname",
                "CN=a",
                "-ext",
                extension,
                "-keystore",
                keys.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), US_ASCII);
    assertThat(keytool.waitFor()).as(said).isZero();
    return keys;
  }

  private static SslContext tls(Path keys) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(keys)) {
      store.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, PASSWORD.toCharArray());
    return GrpcSslContexts.configure(SslContextBuilder.forServer(factory), SslProvider.JDK).build();
  }
}
