// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.standin.LocalServer;
import dev.kcache.rocm.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A real registry on a free port of loopback, which ends with the test: Debian's docker-registry,
 * which {@code .ci/legs/fleet} installs with skopeo.
 */
final class RegistryServer implements AutoCloseable {
  static final String USER = "ann";
  static final String PASSWORD = "secret";

  /** By bcrypt, the only form that the registry takes. */
  private static final String HASH = "$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a";

  private final Path log;
  private final LocalServer server;

  private RegistryServer(Path log, LocalServer server) {
    this.log = log;
    this.server = server;
  }

  /** Starts one without TLS, which anybody may write. */
  static RegistryServer start(Path directory) throws IOException {
    return start(directory, "");
  }

  /** Starts one that speaks TLS, with a certificate and its key. */
  static RegistryServer startTls(Path directory, Path certificate, Path key) throws IOException {
    return start(
        directory, "  tls:\n    certificate: %s\n    key: %s\n".formatted(certificate, key));
  }

  /** Starts one that speaks TLS, for one user. */
  static RegistryServer startForUser(Path directory, Path certificate, Path key)
      throws IOException {
    Path users = directory.resolve("htpasswd");
    Files.writeString(users, USER + ":" + HASH + "\n");
    return start(
        directory,
        "  tls:\n    certificate: %s\n    key: %s\nauth:\n  htpasswd:\n    realm: r\n    path: %s\n"
            .formatted(certificate, key, users));
  }

  private static RegistryServer start(Path directory, String more) throws IOException {
    int port = LocalServer.freePort();
    Path config = directory.resolve("config.yml");
    Files.writeString(
        config,
        """
        version: 0.1
        log: {accesslog: {disabled: false}, level: info}
        storage: {filesystem: {rootdirectory: %s}}
        http:
          addr: 127.0.0.1:%d
        """
                .formatted(directory.resolve("registry"), port)
            + more);
    Path log = directory.resolve("registry.log");
    return new RegistryServer(
        log, LocalServer.start(port, log, "docker-registry", "serve", config.toString()));
  }

  int port() {
    return server.port();
  }

  /** Returns the name of an image in it. */
  String image(String name) {
    return "localhost:" + port() + "/" + name;
  }

  /** Returns whether a name has any tags. */
  static boolean hasTags(Path directory, String name) {
    return Files.exists(
        directory.resolve("registry/docker/registry/v2/repositories/" + name + "/_manifests/tags"));
  }

  /** Returns what it wrote of requests since it was started. */
  String log() throws IOException {
    return Files.readString(log);
  }

  /** Returns what skopeo prints, which has to succeed. */
  static String skopeo(String... arguments) throws IOException, InterruptedException {
    return run(List.of("skopeo"), arguments);
  }

  /** As {@link #skopeo}, of oras, which the newer ROCm's folder has. */
  static String oras(String... arguments) throws IOException, InterruptedException {
    Environment environment = new Environment(System.getenv());
    return run(
        Environment.program("oras", environment.searchPath()).isPresent()
            ? List.of("oras")
            : List.of("../scripts/modern-rocm", "--", "oras"),
        arguments);
  }

  private static String run(List<String> program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(program);
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(command + ": " + output);
    }
    return output;
  }

  /** Kills it, and returns when it is gone. */
  @Override
  public void close() {
    server.close();
  }
}
