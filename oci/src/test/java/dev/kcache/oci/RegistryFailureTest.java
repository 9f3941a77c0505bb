// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import static dev.kcache.oci.Kernels.GFX90A;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Registries that refuse: one line, and no tag. */
@Tag("fleet")
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class RegistryFailureTest {
  @TempDir Path temp;
  private final SSLContext before;
  private Path cache;

  RegistryFailureTest() throws NoSuchAlgorithmException {
    before = SSLContext.getDefault();
  }

  @BeforeEach
  void fill() throws Exception {
    cache = temp.resolve("cache");
    Kernels.fill(cache, Map.of(), GFX90A);
    makeCertificate();
  }

  @AfterEach
  void trustAsBefore() {
    SSLContext.setDefault(before);
  }

  /** Makes a certificate for localhost that nobody knows. */
  private void makeCertificate() throws Exception {
    Process openssl =
        new ProcessBuilder(
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
                    .concat(" -subj /CN=localhost -addext subjectAltName=DNS:localhost")
                    .concat(" -keyout key.pem -out cert.pem")
                    .split(" "))
            .directory(temp.toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(openssl.getInputStream().readAllBytes(), UTF_8);
    assertThat(openssl.waitFor()).as(output).isZero();
  }

  /**
   * As the property javax.net.ssl.trustStore does where it is set before Java's first use of it.
   */
  private void trust() throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    try (InputStream in = Files.newInputStream(temp.resolve("cert.pem"))) {
      trusted.setCertificateEntry(
          "registry", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    SSLContext.setDefault(context);
  }

  /** Returns the one line of a write that has to fail, and leave no tag. */
  private String refused(String image, Map<String, String> environment) {
    ImageException failure =
        catchThrowableOfType(
            ImageException.class,
            () -> KernelImage.named(image, environment).write(cache, Set.of()));
    assertThat(failure.isDamaged()).isFalse();
    assertThat(failure).hasMessageNotContaining("\n").hasMessageStartingWith("'" + image + "'");
    assertThat(RegistryServer.hasTags(temp, "kernels")).isFalse();
    return failure.getMessage();
  }

  private Map<String, String> credentials(String server, String password) throws IOException {
    String text =
        Base64.getEncoder().encodeToString((RegistryServer.USER + ":" + password).getBytes(UTF_8));
    Path directory = Files.createDirectories(temp.resolve("docker-" + password));
    Files.writeString(
        directory.resolve("config.json"),
        "{\"auths\":{\"%s\":{\"auth\":\"%s\"}}}".formatted(server, text));
    return Map.of("DOCKER_CONFIG", directory.toString());
  }

  @Test
  void certificate_hasToBeTrusted() throws Exception {
    try (RegistryServer server =
        RegistryServer.startTls(temp, temp.resolve("cert.pem"), temp.resolve("key.pem"))) {
      String image = server.image("kernels:1");
      assertThat(refused(image, Map.of()))
          .isEqualTo(
              "'%s': the certificate is not trusted (%s); name a store that has it by"
                      .formatted(
                          image,
                          "PKIX path building failed: unable to find valid certification path to"
                              + " requested target")
                  + " -Djavax.net.ssl.trustStore=FILE");
      trust();
      KernelImage.named(image, Map.of()).write(cache, Set.of());
      assertThat(RegistryServer.hasTags(temp, "kernels")).isTrue();
    }
  }

  @Test
  void credentials_areThoseOfDocker() throws Exception {
    trust();
    try (RegistryServer server =
        RegistryServer.startForUser(temp, temp.resolve("cert.pem"), temp.resolve("key.pem"))) {
      String image = server.image("kernels:1");
      String host = image.substring(0, image.indexOf('/'));
      String line =
          "'%s': no permission; log in with 'docker login' or 'podman login'".formatted(image);
      Map<String, String> none = Map.of("DOCKER_CONFIG", temp.resolve("none").toString());
      assertThat(refused(image, none)).isEqualTo(line);
      assertThat(refused(image, credentials(host, "wrong"))).isEqualTo(line);

      Map<String, String> right = credentials(host, RegistryServer.PASSWORD);
      KernelImage.named(image, right).write(cache, Set.of());
      assertThat(KernelImage.named(image, right).pull(temp.resolve("copy"), Set.of()).copied())
          .isEqualTo(2);
      assertThat(
              catchThrowableOfType(
                  ImageException.class,
                  () -> KernelImage.named(image, none).pull(temp.resolve("other"), Set.of())))
          .hasMessage(line);
    }
  }

  /** The last request of a push is the one that makes the tag. */
  @ParameterizedTest
  @ValueSource(strings = {"PATCH /v2/kernels/blobs/uploads/", "PUT /v2/kernels/manifests/1 "})
  void registryThatIsKilledInAPush_hasNoTag(String request) throws Exception {
    try (RegistryServer killed = RegistryServer.start(temp);
        Relay relay = new Relay(killed.port(), request, killed::close)) {
      String image = "localhost:" + relay.port() + "/kernels:1";
      assertThat(refused(image, Map.of()))
          .startsWith("'" + image + "': 502 Bad Gateway ")
          .endsWith("; run this again when the registry answers")
          .doesNotContain("?");
    }
    try (RegistryServer again = RegistryServer.start(temp)) {
      KernelImage.named(again.image("kernels:1"), Map.of()).write(cache, Set.of());
      assertThat(RegistryServer.hasTags(temp, "kernels")).isTrue();
    }
  }

  @Test
  void registryThatIsNotThere_isToldAtOnce() throws IOException {
    int port;
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = any.getLocalPort();
    }
    String image = "localhost:" + port + "/kernels:1";
    assertThat(refused(image, Map.of()))
        .isEqualTo(
            "'%s': no connection to localhost:%d: Connection refused".formatted(image, port));
    assertThat(refused("nosuch.invalid/kernels:1", Map.of()))
        .isEqualTo("'nosuch.invalid/kernels:1': unknown host nosuch.invalid");
  }
}
