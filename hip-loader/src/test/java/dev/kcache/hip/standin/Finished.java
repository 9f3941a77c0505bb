// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.standin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A process that ran to its end.
 *
 * @param status its exit status; 128 and the signal's number if one ended it
 * @param output what it printed to stdout and stderr
 */
public record Finished(int status, String output) {
  /**
   * Runs a command.
   *
   * @throws IOException if there is no such program
   */
  public static Finished run(List<String> command, Path directory, Map<String, String> environment)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    try (InputStream output = process.getInputStream()) {
      process.getOutputStream().close();
      String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      return new Finished(process.waitFor(), text);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
