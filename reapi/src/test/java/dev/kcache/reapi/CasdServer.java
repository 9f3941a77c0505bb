// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import dev.kcache.rocm.Environment;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real buildbox-casd, of the newer ROCm's folder, on loopback; ends with the test. */
final class CasdServer implements AutoCloseable {
  /** The first one may have to wait until the folder is made. */
  private static final long STARTING_SECONDS = 120;

  private final int port;
  private final Process process;

  /**
   * Starts it with a folder below {@code /tmp}, which it keeps its blobs in.
   *
   * @param options beside those that name its address and its folder
   */
  CasdServer(Path directory, int port, String... options) throws IOException {
    this.port = port;
    List<String> command = new ArrayList<>();
    if (Environment.program("buildbox-casd", new Environment(System.getenv()).searchPath())
        .isEmpty()) {
      command.addAll(List.of("../scripts/modern-rocm", "--"));
    }
    command.addAll(List.of("buildbox-casd", "--bind=127.0.0.1:" + port));
    command.addAll(List.of(options));
    command.add(directory.toAbsolutePath().toString());
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolveSibling(directory.getFileName() + ".log").toFile());
    // What a killed server has mounted by FUSE could not be deleted.
    builder.environment().put("BUILDBOX_STAGER", "copy-or-link");
    process = builder.start();
    try {
      await();
    } catch (IOException e) {
      close();
      throw e;
    }
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
        if (!process.isAlive() || System.nanoTime() > end) {
          throw new IOException("buildbox-casd does not start", e);
        }
        Thread.onSpinWait();
      }
    }
  }

  String url() {
    return "grpc://127.0.0.1:" + port;
  }

  /** Kills it, and the script that started it, and returns when both are gone. */
  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().join();
  }
}
