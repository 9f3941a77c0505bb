// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/**
 * The measurements of a program in a process of its own. Its first line says that it runs; each
 * other line is a number.
 *
 * @param startSeconds from the start of the process to the arrival of the first line
 * @param figures the numbers
 */
record Child(double startSeconds, List<Double> figures) {
  /** The first line of a program. */
  static final String STARTED = "started";

  /**
   * Runs a program to its end, with its messages on standard error.
   *
   * @param environment added to this process's
   * @throws IllegalStateException if it fails, or prints something else
   * @throws UncheckedIOException if it can't be run
   */
  static Child run(List<String> command, Map<String, String> environment) {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    try {
      long begin = System.nanoTime();
      Process process = builder.start();
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
        String first = lines.readLine();
        double startSeconds = (System.nanoTime() - begin) / 1e9;
        List<String> rest = lines.lines().toList();
        int status = process.waitFor();
        if (status != 0 || !STARTED.equals(first)) {
          throw new IllegalStateException(
              "exit status %d of: %s".formatted(status, String.join(" ", command)));
        }
        return new Child(startSeconds, rest.stream().map(Double::valueOf).toList());
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while it ran: " + command.get(0), e);
    }
  }
}
