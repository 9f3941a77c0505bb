// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A Redis on loopback that keeps nothing. */
record RedisServer(int port, Process process) implements AutoCloseable {
  private static final long STARTING_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * Starts one.
   *
   * @param directory what it writes goes here
   * @throws IOException if it does not start
   */
  static RedisServer start(String program, Path directory) throws IOException {
    int port = CompilerCache.freePort();
    ProcessBuilder builder =
        new ProcessBuilder(
            program, "--bind", "127.0.0.1", "--port", Integer.toString(port), "--save", "");
    builder.directory(directory.toFile());
    builder.redirectErrorStream(true).redirectOutput(directory.resolve("log").toFile());
    RedisServer server = new RedisServer(port, builder.start());
    long end = System.nanoTime() + STARTING_NANOS;
    while (!server.answers()) {
      if (!server.process.isAlive() || System.nanoTime() > end) {
        server.close();
        throw new IOException("redis-server does not start");
      }
      Thread.onSpinWait();
    }
    return server;
  }

  private boolean answers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  String url() {
    return "redis://127.0.0.1:" + port;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
