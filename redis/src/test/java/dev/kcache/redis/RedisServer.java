// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.standin.LocalServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A real Redis on a free port of loopback, which keeps nothing, and ends with the test. */
final class RedisServer implements AutoCloseable {
  private final LocalServer server;

  private RedisServer(LocalServer server) {
    this.server = server;
  }

  /** Starts a server with more options, such as {@code --requirepass x}. */
  static RedisServer start(Path directory, String... options) throws IOException {
    return start(directory, LocalServer.freePort(), options);
  }

  static RedisServer start(Path directory, int port, String... options) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of("redis-server", "--port", "" + port, "--bind", "127.0.0.1", "--save", ""));
    command.addAll(List.of("--dir", directory.toString()));
    command.addAll(List.of(options));
    return new RedisServer(
        LocalServer.start(new ProcessBuilder(command), port, directory.resolve("redis.log")));
  }

  /** Returns its URL by another address of this machine. */
  String urlAt(String address) {
    return "redis://" + address + ":" + port();
  }

  int port() {
    return server.port();
  }

  /** Returns its URL, with something before the host, such as {@code :password@}. */
  String url(String before) {
    return "redis://" + before + "127.0.0.1:" + port();
  }

  /** Returns what redis-cli prints that is given a command. */
  String ask(String... command) throws IOException {
    List<String> client = new ArrayList<>(List.of("redis-cli", "-p", "" + port()));
    client.addAll(List.of(command));
    Process asked = new ProcessBuilder(client).redirectErrorStream(true).start();
    return new String(asked.getInputStream().readAllBytes(), UTF_8);
  }

  /** Kills it, and returns when it is gone. */
  @Override
  public void close() {
    server.close();
  }
}
