// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A Java program in a process of its own, with the class path of this one. */
final class Probe {
  private static final int PATIENCE_SECONDS = 120;

  /** So that its memory is no measure of how lazily the heap is filled. */
  private static final List<String> HEAP =
      List.of("-Xms64m", "-Xmx64m", "-XX:+UseSerialGC", "-XX:+AlwaysPreTouch");

  private final Process process;
  private final Path output;
  private final Path errors;

  private Probe(Process process, Path output, Path errors) {
    this.process = process;
    this.output = output;
    this.errors = errors;
  }

  /** Starts a program with more variables than this process has; its output goes to a directory. */
  static Probe start(
      Path directory, Class<?> program, Map<String, String> environment, String... arguments)
      throws IOException {
    Path output = Files.createTempFile(directory, "probe", ".out");
    Path errors = Files.createTempFile(directory, "probe", ".err");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(HEAP);
    // Else newer Java versions warn of JNA, which is not what is looked at.
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Djna.tmpdir=" + directory);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile());
    builder.environment().putAll(environment);
    return new Probe(builder.start(), output, errors);
  }

  /** Waits for the program's end, which has to be a success in silence; returns what it printed. */
  List<String> lines() throws IOException, InterruptedException {
    if (!process.waitFor(PATIENCE_SECONDS, SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("not done within " + PATIENCE_SECONDS + " s");
    }
    String complaints = Files.readString(errors, UTF_8);
    assertThat(process.exitValue()).as(complaints).isZero();
    assertThat(complaints).isEmpty();
    return Files.readAllLines(output, UTF_8);
  }
}
