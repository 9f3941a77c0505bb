// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.standin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server's process on loopback, which ends with the test. */
public final class LocalServer implements AutoCloseable {
  /** The first call of {@code scripts/modern-rocm} may have to make its folder. */
  private static final long STARTING_SECONDS = 120;

  private final int port;
  private final Process process;

  private LocalServer(int port, Process process) {
    this.port = port;
    this.process = process;
  }

  /** Returns a port of loopback that nobody listens to. */
  public static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }

  /** As {@link #start(ProcessBuilder, int, Path)}, with a command in this one's environment. */
  public static LocalServer start(int port, Path log, String... command) throws IOException {
    return start(new ProcessBuilder(List.of(command)), port, log);
  }

  /**
   * Starts a server and returns when it takes connections.
   *
   * @param log gets what the server prints
   * @throws IOException with that, if the server ends or takes none
   */
  public static LocalServer start(ProcessBuilder builder, int port, Path log) throws IOException {
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    LocalServer server = new LocalServer(port, builder.start());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(STARTING_SECONDS);
    while (!server.accepts()) {
      if (server.hasEndedIn(20) || System.nanoTime() > end) {
        server.close();
        throw new IOException(
            builder.command() + " does not take connections: " + Files.readString(log));
      }
    }
    return server;
  }

  private boolean accepts() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private boolean hasEndedIn(int millis) throws IOException {
    try {
      return process.waitFor(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  public int port() {
    return port;
  }

  /** Kills it with all that it started, and returns when it is gone. */
  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().join();
  }
}
