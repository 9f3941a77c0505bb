// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * Any lines are arguments, or refused as a user can understand; see {@code scripts/fuzz arguments}.
 * A percent sign stands for a directory of the test's own, and nothing else is let out of it.
 */
class ArgumentsFuzzTest {
  private static final Set<Integer> EXIT_CODES =
      Set.of(
          ExitCode.OK,
          ExitCode.FAILED,
          ExitCode.USAGE,
          ExitCode.UNAVAILABLE,
          ExitCode.DAMAGED,
          ExitCode.INTERRUPTED);

  private static final int RUNS_PER_DIRECTORY = 200;
  private static final String DIRECTORY = "--cache-dir";

  @TempDir static Path directory;
  private static int runs;

  /** To load all of it with a fuzzer's hooks takes a slow machine longer than an input may. */
  @BeforeAll
  static void load() {
    for (String verb :
        List.of("prewarm", "prove", "trace", "list", "targets", "stats", "verify", "gc")) {
      var unused = new CommandRunner(directory).run(verb, "--help");
    }
  }

  @DictionaryEntries({
    "prewarm\\x0a",
    "list\\x0a",
    "inspect\\x0a",
    "targets\\x0a",
    "stats\\x0a",
    "verify\\x0a",
    "gc\\x0a",
    "clear\\x0a",
    "--arch\\x0agfx90a,gfx1030\\x0a",
    "--cache-dir=%other\\x0a",
    "--json\\x0a",
    "--help\\x0a",
    "--force\\x0a",
    "--yes\\x0a",
    "--shard=1/2\\x0a",
    "--timeout=1s\\x0a",
    "--option=-DX=1\\x0a",
    "-j\\x0a2\\x0a",
    "%v.hip\\x0a",
    "%broken.hip\\x0a",
    "--\\x0a",
    "--max-size=1k\\x0a",
    "--max-age=1d\\x0a"
  })
  @FuzzTest
  void run(byte[] bytes) throws IOException {
    List<String> arguments = new String(bytes, UTF_8).lines().toList();
    if (leadsAway(arguments)) {
      return;
    }
    CommandRunner command = command();
    Object[] own = arguments.stream().map(each -> each.replace("%", directory + "/")).toArray();
    Run run = command.run(own);
    check(arguments, run);
    boolean told = run.out().startsWith("Usage:") || run.out().startsWith("kcache ");
    if (run.exitCode() == ExitCode.OK && arguments.contains("--json") && !told) {
      checkJson(arguments, run.out());
    }
  }

  /** Whether a path may lead out of the directory, or a run may need what a machine may lack. */
  private static boolean leadsAway(List<String> arguments) {
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      boolean climbs = argument.contains("/") && !argument.startsWith("--shard");
      if (climbs || argument.contains("..") || namesAnother(arguments, i)) {
        return true;
      }
    }
    return arguments.contains("doctor") || arguments.contains("run");
  }

  private static boolean namesAnother(List<String> arguments, int at) {
    String argument = arguments.get(at);
    if (argument.equals(DIRECTORY)) {
      return at + 1 < arguments.size() && !arguments.get(at + 1).startsWith("%");
    }
    return argument.startsWith(DIRECTORY) && !argument.startsWith(DIRECTORY + "=%");
  }

  private static CommandRunner command() throws IOException {
    CommandRunner command = new CommandRunner(directory);
    // This machine's tools are not what is tried, and each takes longer than the rest of a run.
    command.environment.put("PATH", directory.resolve("bin").toString());
    if (runs++ % RUNS_PER_DIRECTORY == 0) {
      clean();
      command.kernel("v.hip");
      command.kernel("broken.hip", "BROKEN");
    }
    return command;
  }

  private static void clean() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (!file.equals(directory)) {
          Files.delete(file);
        }
      }
    }
  }

  private static void check(List<String> arguments, Run run) {
    require(EXIT_CODES.contains(run.exitCode()), "an exit code that is documented", arguments, run);
    boolean traced = arguments.contains(Verb.STACK_TRACE);
    require(traced || !run.err().contains("\tat "), "no stack trace", arguments, run);
    require(!run.err().startsWith("kcache: internal error"), "no error of ours", arguments, run);
    require(run.exitCode() == ExitCode.OK || !run.err().isEmpty(), "a reason", arguments, run);
    require(
        traced || run.err().lines().allMatch(ArgumentsFuzzTest::isPlain),
        "lines without control characters",
        arguments,
        run);
    if (run.exitCode() == ExitCode.USAGE) {
      require(run.err().startsWith("kcache: "), "it says who refuses", arguments, run);
    }
  }

  private static boolean isPlain(String line) {
    return line.chars().noneMatch(Character::isISOControl);
  }

  private static void checkJson(List<String> arguments, String out) throws IOException {
    try (JsonParser json = new JsonFactory().createParser(out)) {
      json.nextToken();
      require(json.isExpectedStartObjectToken(), "one object", arguments, new Run(0, out, ""));
      json.skipChildren();
      require(json.nextToken() == null, "and no more", arguments, new Run(0, out, ""));
    }
  }

  private static void require(boolean holds, String rule, List<String> arguments, Run run) {
    if (!holds) {
      throw new AssertionError(rule + ": " + arguments + " gives " + run);
    }
  }
}
