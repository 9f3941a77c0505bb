// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * A stand-in for the JSON interface of Google's storage with one bucket, {@code kernels}: it reads,
 * describes, writes, deletes and lists objects for who has the token.
 */
final class GoogleStandIn implements AutoCloseable {
  static final String TOKEN = "token-of-a-test";

  private static final String OBJECTS = "/storage/v1/b/kernels/o";

  private final Map<String, byte[]> objects = new ConcurrentSkipListMap<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;

  GoogleStandIn() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  /** Returns OpenDAL's settings for it. */
  Map<String, String> settings() {
    String endpoint = "http://127.0.0.1:" + server.getAddress().getPort();
    return Map.of("bucket", "kernels", "root", "/team", "endpoint", endpoint, "token", TOKEN);
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      String path = exchange.getRequestURI().getRawPath();
      if (!("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
        send(exchange, 401, error(401, "Invalid Credentials"));
      } else if (path.equals("/upload" + OBJECTS)) {
        upload(exchange, body);
      } else if (path.equals(OBJECTS)) {
        send(exchange, 200, listing(parameters(exchange).getOrDefault("prefix", "")));
      } else if (path.startsWith(OBJECTS + "/")) {
        object(exchange, decoded(path.substring(OBJECTS.length() + 1)));
      } else {
        send(exchange, 404, error(404, "The specified bucket does not exist."));
      }
    }
  }

  private void upload(HttpExchange exchange, byte[] body) throws IOException {
    Map<String, String> parameters = parameters(exchange);
    String name = parameters.get("name");
    if (name == null || !"media".equals(parameters.get("uploadType"))) {
      send(exchange, 400, error(400, "Bad Request"));
    } else {
      objects.put(name, body);
      send(exchange, 200, description(name, body).getBytes(UTF_8));
    }
  }

  private void object(HttpExchange exchange, String name) throws IOException {
    byte[] content = objects.get(name);
    if (content == null) {
      send(exchange, 404, error(404, "No such object: kernels/" + name));
    } else if (exchange.getRequestMethod().equals("DELETE")) {
      objects.remove(name);
      send(exchange, 204, new byte[0]);
    } else if ("media".equals(parameters(exchange).get("alt"))) {
      send(exchange, 200, content);
    } else {
      send(exchange, 200, description(name, content).getBytes(UTF_8));
    }
  }

  private byte[] listing(String prefix) {
    return objects.entrySet().stream()
        .filter(object -> object.getKey().startsWith(prefix))
        .map(object -> description(object.getKey(), object.getValue()))
        .collect(Collectors.joining(",", "{\"kind\":\"storage#objects\",\"items\":[", "]}"))
        .getBytes(UTF_8);
  }

  private static String description(String name, byte[] content) {
    return """
        {"kind":"storage#object","bucket":"kernels","name":"%s","size":"%d","etag":"e","md5Hash":"",\
        "contentType":"application/octet-stream","updated":"2026-11-01T00:00:00.000Z"}"""
        .formatted(name, content.length);
  }

  private static byte[] error(int code, String message) {
    return """
        {"error":{"code":%1$d,"message":"%2$s","errors":[{"message":"%2$s","domain":"global",\
        "reason":"other"}]}}"""
        .formatted(code, message)
        .getBytes(UTF_8);
  }

  private static Map<String, String> parameters(HttpExchange exchange) {
    Map<String, String> parameters = new HashMap<>();
    String query = exchange.getRequestURI().getRawQuery();
    for (String each : query == null ? new String[0] : query.split("&")) {
      String[] parts = each.split("=", 2);
      parameters.put(parts[0], parts.length < 2 ? "" : decoded(parts[1]));
    }
    return parameters;
  }

  /** A plus stands for itself in URLs, unlike in forms. */
  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdown();
  }
}
