// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.kcache.cache.remote.RemoteStore;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A WebDAV server and object store that tells one length of all that it has, and sends more, until
 * the reader ends the connection or has had a quarter of a gigabyte.
 */
final class EndlessServer implements AutoCloseable {
  private static final long MOST = 1L << 28;

  private final int told;
  private final CompletableFuture<Long> sent = new CompletableFuture<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;

  /** Serves values that it says have so many bytes. */
  EndlessServer(int told) throws IOException {
    this.told = told;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  /** Returns a store there; the address begins like that. */
  RemoteStore open(String beginning) {
    return new OpenDalStoreProvider()
        .open(
            URI.create(beginning + "127.0.0.1:" + server.getAddress().getPort()),
            Map.of("AWS_ACCESS_KEY_ID", "id", "AWS_SECRET_ACCESS_KEY", "secret"));
  }

  /** Returns how much the first reader was sent, once that has ended. */
  CompletableFuture<Long> sent() {
    return sent;
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      switch (exchange.getRequestMethod()) {
        case "PROPFIND" -> {
          byte[] body = ServersTest.propertiesOf(told).getBytes(UTF_8);
          exchange.sendResponseHeaders(207, body.length);
          exchange.getResponseBody().write(body);
        }
        case "HEAD" -> {
          exchange.getResponseHeaders().set("Content-Length", "" + told);
          exchange.sendResponseHeaders(200, -1);
        }
        default -> send(exchange);
      }
    }
  }

  private void send(HttpExchange exchange) {
    long size = 0;
    byte[] part = new byte[1 << 16];
    try {
      exchange.sendResponseHeaders(200, 0);
      OutputStream out = exchange.getResponseBody();
      while (size < MOST) {
        out.write(part);
        size += part.length;
      }
    } catch (IOException e) {
      // The reader has had enough.
    }
    sent.complete(size);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdown();
  }
}
