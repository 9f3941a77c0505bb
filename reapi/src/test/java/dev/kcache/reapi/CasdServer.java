// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import dev.kcache.cache.standin.LocalServer;
import dev.kcache.rocm.Environment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A real buildbox-casd, of the newer ROCm's folder, on loopback; ends with the test. */
final class CasdServer implements AutoCloseable {
  private final LocalServer server;

  /**
   * Starts it with a folder below {@code /tmp}, which it keeps its blobs in.
   *
   * @param options beside those that name its address and its folder
   */
  CasdServer(Path directory, int port, String... options) throws IOException {
    List<String> command = new ArrayList<>();
    if (Environment.program("buildbox-casd", new Environment(System.getenv()).searchPath())
        .isEmpty()) {
      command.addAll(List.of("../scripts/modern-rocm", "--"));
    }
    command.addAll(List.of("buildbox-casd", "--bind=127.0.0.1:" + port));
    command.addAll(List.of(options));
    command.add(directory.toAbsolutePath().toString());
    ProcessBuilder builder = new ProcessBuilder(command);
    // What a killed server has mounted by FUSE could not be deleted.
    builder.environment().put("BUILDBOX_STAGER", "copy-or-link");
    server =
        LocalServer.start(
            builder, port, directory.resolveSibling(directory.getFileName() + ".log"));
  }

  String url() {
    return "grpc://127.0.0.1:" + server.port();
  }

  /** Kills it, and the script that started it, and returns when both are gone. */
  @Override
  public void close() {
    server.close();
  }
}
