// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A program to run with its output in a file, so that no terminal slows it down.
 *
 * @param words the program and its arguments
 * @param environment its whole environment
 */
record Command(List<String> words, Map<String, String> environment) {
  /**
   * Runs it to its end and returns the output of both streams.
   *
   * @throws CommandFailedException if it can't be run or its exit code is not 0
   */
  String run() {
    ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    try {
      Path log = Files.createTempFile("kcache-compare", ".log");
      try {
        builder.redirectOutput(log.toFile());
        Process process = builder.start();
        process.getOutputStream().close();
        int status = process.waitFor();
        String output = new String(Files.readAllBytes(log), UTF_8);
        if (status != 0) {
          throw new CommandFailedException(
              "exit code " + status + " of '" + name() + "': " + lastLine(output));
        }
        return output;
      } finally {
        Files.delete(log);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("'" + name() + "' could not be run: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailedException("interrupted while '" + name() + "' ran");
    }
  }

  /** Returns the first words, to identify it. */
  private String name() {
    return String.join(" ", words.subList(0, Math.min(3, words.size())));
  }

  private static String lastLine(String output) {
    List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
    return lines.isEmpty() ? "it printed nothing" : lines.get(lines.size() - 1).strip();
  }
}
