// SPDX-License-Identifier: Apache-2.0
package dev.kcache.maven;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cli.Main;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.maven.plugin.logging.Log;

/** A verb of the {@code kcache} command with its arguments, which runs in Maven's own process. */
final class Command {
  private static final String PREFIX = "kcache: ";

  private final List<String> arguments = new ArrayList<>();

  /**
   * What a verb left.
   *
   * @param document what it printed as JSON
   * @param lines what it printed besides, without the command's name
   */
  record Result(int exitCode, Map<String, Object> document, List<String> lines) {}

  Command(String verb) {
    arguments.add(verb);
    arguments.add("--json");
  }

  /** Adds an option with its value. */
  Command option(String name, Object value) {
    arguments.add(name + "=" + value);
    return this;
  }

  /** Adds files that are no options, whatever their names. */
  Command files(List<?> files) {
    arguments.add("--");
    files.forEach(file -> arguments.add(file.toString()));
    return this;
  }

  /**
   * Runs the verb with the environment of this process.
   *
   * @param log takes what the library logs meanwhile
   */
  Result run(Log log) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exitCode;
    MavenLogging logging = MavenLogging.to(log);
    try {
      exitCode =
          Main.run(
              System.getenv(),
              new PrintStream(out, true, UTF_8),
              new PrintStream(err, true, UTF_8),
              arguments.toArray(String[]::new));
    } finally {
      logging.close();
    }
    List<String> lines =
        err.toString(UTF_8)
            .lines()
            .map(line -> line.startsWith(PREFIX) ? line.substring(PREFIX.length()) : line)
            .toList();
    try {
      return new Result(exitCode, Document.read(out.toByteArray()), lines);
    } catch (IOException e) {
      throw new UncheckedIOException("kcache " + arguments + " printed no document", e);
    }
  }
}
