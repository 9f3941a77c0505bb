// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A server on a free port of loopback, which ends with the test. nginx is a real one; s3rver and
 * azurite are stand-ins for S3 and for Azure's Blob Storage. {@code .ci/legs/fleet} installs them.
 */
final class LocalServer implements AutoCloseable {
  private static final long STARTING_SECONDS = 30;
  private static final Path STAND_INS =
      Path.of(
          System.getProperty(
              "kcache.stand-ins", System.getProperty("user.home") + "/.cache/kcache-stand-ins"));
  private static final String DAV_MODULE = "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so";

  /** The account that each Azurite has, with its published key. */
  private static final String ACCOUNT = "devstoreaccount1";

  static final String AZURE_KEY =
      "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

  private final String url;
  private final Map<String, String> credentials;
  private final int port;
  private final Process process;

  private LocalServer(
      String url, Map<String, String> credentials, int port, List<String> command, Path directory)
      throws IOException {
    this.url = url;
    this.credentials = credentials;
    this.port = port;
    process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    try {
      await();
    } catch (IOException e) {
      close();
      throw new IOException(command + ": " + Files.readString(directory.resolve("log")), e);
    }
  }

  /** WebDAV by nginx, for one user. */
  static LocalServer webDav(Path directory) throws IOException {
    int port = freePort();
    Files.createDirectory(directory.resolve("root"));
    Files.writeString(directory.resolve("users"), "ann:{PLAIN}secret\n");
    String temporary =
        "client_body_temp_path b; proxy_temp_path b; fastcgi_temp_path b; uwsgi_temp_path b;"
            + " scgi_temp_path b; client_max_body_size 0; access_log off;";
    Files.writeString(
        directory.resolve("conf"),
        """
        load_module %s;
        %s
        daemon off; master_process off; pid pid; error_log error;
        events {}
        http { %s server { listen 127.0.0.1:%d; root root; location / {
          auth_basic kernels; auth_basic_user_file users;
          dav_methods PUT DELETE MKCOL COPY MOVE; dav_ext_methods PROPFIND OPTIONS;
        } } }
        """
            .formatted(
                DAV_MODULE,
                System.getProperty("user.name").equals("root") ? "user root;" : "",
                temporary,
                port));
    return new LocalServer(
        "webdav://127.0.0.1:" + port + "/team/kernels",
        Map.of("KCACHE_WEBDAV_USER", "ann", "KCACHE_WEBDAV_PASSWORD", "secret"),
        port,
        List.of("nginx", "-p", directory.toString(), "-c", directory.resolve("conf").toString()),
        directory);
  }

  /** A stand-in for S3, which checks who asks by the name of the key alone. */
  static LocalServer s3Rver(Path directory) throws IOException {
    int port = freePort();
    return new LocalServer(
        "s3://kernels/team?endpoint=http://127.0.0.1:" + port,
        Map.of("AWS_ACCESS_KEY_ID", "S3RVER", "AWS_SECRET_ACCESS_KEY", "S3RVER"),
        port,
        List.of(
            program("s3rver"),
            "--address",
            "127.0.0.1",
            "--port",
            "" + port,
            "--directory",
            directory.toString(),
            "--no-vhost-buckets",
            "--configure-bucket",
            "kernels"),
        directory);
  }

  /** A stand-in for Azure's Blob Storage, with one container. */
  static LocalServer azurite(Path directory) throws IOException, InterruptedException {
    int port = freePort();
    String endpoint = "http://127.0.0.1:" + port + "/" + ACCOUNT;
    LocalServer server =
        new LocalServer(
            "azblob://kernels/team?endpoint=" + endpoint,
            Map.of("AZURE_STORAGE_ACCOUNT", ACCOUNT, "AZURE_STORAGE_KEY", AZURE_KEY),
            port,
            List.of(
                program("azurite-blob"),
                "--blobHost=127.0.0.1",
                "--blobPort=" + port,
                "--skipApiVersionCheck",
                "--disableTelemetry",
                "--location=" + directory),
            directory);
    try {
      server.makeContainer(endpoint + "/kernels");
    } catch (IOException | GeneralSecurityException e) {
      server.close();
      throw new IOException(e);
    }
    return server;
  }

  private void makeContainer(String container)
      throws IOException, InterruptedException, GeneralSecurityException {
    String date =
        DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .format(ZonedDateTime.now(ZoneOffset.UTC));
    String signed =
        "PUT"
            + "\n".repeat(12)
            + "x-ms-date:"
            + date
            + "\nx-ms-version:2021-08-06\n/"
            + ACCOUNT
            + "/"
            + ACCOUNT
            + "/kernels\nrestype:container";
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(AZURE_KEY), "HmacSHA256"));
    String signature = Base64.getEncoder().encodeToString(mac.doFinal(signed.getBytes(US_ASCII)));
    HttpResponse<String> made =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(container + "?restype=container"))
                    .header("x-ms-date", date)
                    .header("x-ms-version", "2021-08-06")
                    .header("Authorization", "SharedKey " + ACCOUNT + ":" + signature)
                    .PUT(BodyPublishers.noBody())
                    .build(),
                BodyHandlers.ofString());
    if (made.statusCode() != 201) {
      throw new IOException("no container: " + made.body());
    }
  }

  private static String program(String name) {
    return STAND_INS.resolve("node_modules/.bin").resolve(name).toString();
  }

  static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }

  private void await() throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(STARTING_SECONDS);
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
        return;
      } catch (IOException e) {
        if (hasEndedIn(20) || System.nanoTime() > end) {
          throw new IOException("does not start", e);
        }
      }
    }
  }

  private boolean hasEndedIn(int millis) throws IOException {
    try {
      return process.waitFor(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  String url() {
    return url;
  }

  int port() {
    return port;
  }

  /** Returns the variables of who may read and write. */
  Map<String, String> credentials() {
    return credentials;
  }

  /** Kills it, and returns when it is gone. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
