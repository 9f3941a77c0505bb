// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The command in processes of its own, with programs before the machine's that count starts. */
final class CountedCommand {
  /** What the JVMs get. */
  final List<String> options = new ArrayList<>(List.of("-XX:+UseSerialGC", "-Xmx256m"));

  final Path directory;
  private final Path bin;
  private final Path starts;

  CountedCommand(Path directory) throws IOException {
    this.directory = directory;
    bin = Files.createDirectory(directory.resolve("bin"));
    starts = Files.createFile(directory.resolve("starts"));
  }

  /** Puts a program of that name before the machine's. */
  void program(String name, String action) throws IOException {
    String note = "echo \"%s $*\" >> '%s'\n".formatted(name, starts);
    Programs.script(bin.resolve(name), note + action);
  }

  /** Puts a wrapper around the machine's program. */
  void wrap(String name) throws IOException {
    program(name, "exec " + Programs.onPath(name) + " \"$@\"");
  }

  /** Returns each start with its arguments. */
  List<String> starts() throws IOException {
    return Files.readAllLines(starts);
  }

  /** Returns whether a program is of the last seconds; kcache does not remember such a one. */
  boolean isYoung(String program) throws IOException {
    Instant limit = Instant.now().minusSeconds(3);
    return Files.getLastModifiedTime(bin.resolve(program)).toInstant().isAfter(limit);
  }

  /** Runs the command, which has to succeed; returns what it prints. */
  String run(String... arguments) throws Exception {
    Run run = Programs.end(start(Map.of(), arguments));
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out();
  }

  Process start(Map<String, String> more, String... arguments) throws IOException {
    Map<String, String> environment = new TreeMap<>(more);
    environment.put("PATH", bin + ":" + System.getenv("PATH"));
    environment.put("KCACHE_DIR", directory.resolve("cache").toString());
    List<String> command = Programs.java(Main.class, options, arguments);
    return Programs.builder(directory, environment, command).start();
  }
}
