// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kcache.cache.standin.LocalServer;
import java.io.IOException;
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
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A server on a free port of loopback, which ends with the test. nginx is a real one; s3rver and
 * azurite are stand-ins for S3 and for Azure's Blob Storage. {@code .ci/legs/fleet} installs them.
 */
final class StorageServer implements AutoCloseable {
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
  private final LocalServer server;

  private StorageServer(
      String url, Map<String, String> credentials, int port, List<String> command, Path directory)
      throws IOException {
    this.url = url;
    this.credentials = credentials;
    server =
        LocalServer.start(
            new ProcessBuilder(command).directory(directory.toFile()),
            port,
            directory.resolve("log"));
  }

  /** WebDAV by nginx, for one user. */
  static StorageServer webDav(Path directory) throws IOException {
    int port = LocalServer.freePort();
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
    return new StorageServer(
        "webdav://127.0.0.1:" + port + "/team/kernels",
        Map.of("KCACHE_WEBDAV_USER", "ann", "KCACHE_WEBDAV_PASSWORD", "secret"),
        port,
        List.of("nginx", "-p", directory.toString(), "-c", directory.resolve("conf").toString()),
        directory);
  }

  /** A stand-in for S3, which checks who asks by the name of the key alone. */
  static StorageServer s3Rver(Path directory) throws IOException {
    int port = LocalServer.freePort();
    return new StorageServer(
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
  static StorageServer azurite(Path directory) throws IOException, InterruptedException {
    int port = LocalServer.freePort();
    String endpoint = "http://127.0.0.1:" + port + "/" + ACCOUNT;
    StorageServer server =
        new StorageServer(
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

  String url() {
    return url;
  }

  int port() {
    return server.port();
  }

  /** Returns the variables of who may read and write. */
  Map<String, String> credentials() {
    return credentials;
  }

  /** Kills it, and returns when it is gone. */
  @Override
  public void close() {
    server.close();
  }
}
