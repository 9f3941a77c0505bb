// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs programs as processes of their own, without the environment of the tests. */
final class Programs {
  static final int NOBODY = 65534;

  private Programs() {}

  /** Returns the command line of the command in a JVM of its own. */
  static List<String> kcache(String... arguments) {
    return java(Main.class, List.of("-XX:TieredStopAtLevel=1"), arguments);
  }

  static List<String> java(Class<?> program, List<String> options, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * Returns a command line that root runs as another user, who may read the classes of this test
   * wherever they are, and write nothing of root's.
   *
   * @param groups the groups of that user, as {@code setpriv} takes them
   */
  static List<String> asNobody(List<String> groups, List<String> command) {
    List<String> all =
        new ArrayList<>(
            List.of(onPath("setpriv").toString(), "--reuid=" + NOBODY, "--regid=" + NOBODY));
    all.addAll(groups);
    all.addAll(List.of("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search", "--"));
    all.addAll(command);
    return all;
  }

  /** Returns what starts a command in a directory, with nothing but the given environment. */
  static ProcessBuilder builder(
      Path directory, Map<String, String> environment, List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder;
  }

  /** Starts a program and waits for its end. */
  static Run run(ProcessBuilder builder) throws Exception {
    return end(builder.start());
  }

  /** Waits for the end of a program that prints less than a pipe holds. */
  static Run end(Process process) throws Exception {
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(120, SECONDS)).isTrue();
    return new Run(process.exitValue(), out, err);
  }

  /** Writes a shell script that can be run. */
  static Path script(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }

  /** Writes a rocminfo that prints what a real one once did. */
  static Path rocminfo(Path file, String recorded) throws IOException {
    Path output = Path.of("../toolchain/src/test/resources/rocminfo", recorded).toRealPath();
    return script(file, "/bin/cat " + output);
  }

  /** Returns where a program of this machine is. */
  static Path onPath(String name) {
    return Stream.of(System.getenv("PATH").split(":"))
        .map(entry -> Path.of(entry, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new AssertionError("the tests need " + name));
  }
}
