// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.standin.LocalServer;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** A real server that speaks TLS, with a certificate for {@code localhost}. */
@Tag("fleet")
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class TlsTest {
  private static final String TRUST_STORE = "javax.net.ssl.trustStore";
  private static final String PASSWORD = "of-a-test";

  @TempDir Path temp;

  @AfterEach
  void trustAsBefore() {
    System.clearProperty(TRUST_STORE);
    System.clearProperty("javax.net.ssl.trustStorePassword");
  }

  /** Makes a key and its certificate, as a store to trust and as the files that Redis takes. */
  private void makeCertificate() throws Exception {
    Path store = temp.resolve("store.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "redis",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), UTF_8);
    assertThat(keytool.waitFor()).as(output).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    write("key.pem", "PRIVATE KEY", keys.getKey("redis", PASSWORD.toCharArray()).getEncoded());
    write("cert.pem", "CERTIFICATE", keys.getCertificate("redis").getEncoded());
    // A store to trust holds certificates, and no keys.
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("redis", keys.getCertificate("redis"));
    try (var out = Files.newOutputStream(temp.resolve("trusted.p12"))) {
      trusted.store(out, PASSWORD.toCharArray());
    }
  }

  private void write(String name, String kind, byte[] bytes) throws Exception {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    Files.writeString(
        temp.resolve(name),
        "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n",
        US_ASCII);
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  @Test
  void certificate_isCheckedAgainstTrustAndName() throws Exception {
    makeCertificate();
    int port = LocalServer.freePort();
    try (RedisServer server =
        RedisServer.start(
            temp,
            "--tls-port",
            "" + port,
            "--tls-cert-file",
            temp.resolve("cert.pem").toString(),
            "--tls-key-file",
            temp.resolve("key.pem").toString(),
            "--tls-auth-clients",
            "no")) {
      assertThat(server.port()).isNotEqualTo(port);
      assertThatThrownBy(() -> put("localhost", port))
          .hasMessageContaining("unable to find valid certification path");

      System.setProperty(TRUST_STORE, temp.resolve("trusted.p12").toString());
      System.setProperty("javax.net.ssl.trustStorePassword", PASSWORD);
      put("localhost", port);
      assertThatThrownBy(() -> put("127.0.0.1", port))
          .hasMessageContaining("No subject alternative names matching IP address 127.0.0.1 found")
          .hasMessageNotContaining("\n");
      assertThat(server.ask("dbsize")).contains("1");
    }
  }

  private static void put(String host, int port) throws Exception {
    URI address = URI.create("rediss://" + host + ":" + port);
    try (RemoteStore store = new RedisStoreProvider().open(address, Map.of())) {
      get(store.put("a", new byte[] {1}));
    }
  }
}
