// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real Redis on a free port of loopback, which keeps nothing, and ends with the test. */
final class RedisServer implements AutoCloseable {
  private static final long STARTING_SECONDS = 20;

  private final int port;
  private final Process process;

  private RedisServer(int port, Process process) {
    this.port = port;
    this.process = process;
  }

  /** Starts a server with more options, such as {@code --requirepass x}. */
  static RedisServer start(Path directory, String... options) throws IOException {
    return start(directory, freePort(), options);
  }

  static RedisServer start(Path directory, int port, String... options) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of("redis-server", "--port", "" + port, "--bind", "127.0.0.1", "--save", ""));
    command.addAll(List.of("--dir", directory.toString(), "--logfile", "redis.log"));
    command.addAll(List.of(options));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    RedisServer server = new RedisServer(port, process);
    try {
      server.await();
    } catch (IOException e) {
      server.close();
      throw e;
    }
    return server;
  }

  static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }

  /** Returns its URL by another address of this machine. */
  String urlAt(String address) {
    return "redis://" + address + ":" + port;
  }

  private void await() throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(STARTING_SECONDS);
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
        return;
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() > end) {
          throw new IOException("redis-server does not start", e);
        }
        Thread.onSpinWait();
      }
    }
  }

  int port() {
    return port;
  }

  /** Returns its URL, with something before the host, such as {@code :password@}. */
  String url(String before) {
    return "redis://" + before + "127.0.0.1:" + port;
  }

  /** Returns what redis-cli prints that is given a command. */
  String ask(String... command) throws IOException {
    List<String> client = new ArrayList<>(List.of("redis-cli", "-p", "" + port));
    client.addAll(List.of(command));
    Process asked = new ProcessBuilder(client).redirectErrorStream(true).start();
    return new String(asked.getInputStream().readAllBytes(), UTF_8);
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
