// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.wsl;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.process.PipedRunner;
import dev.kcache.toolchain.process.PipedRunner.Piped;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs {@code wsl.exe} of this machine. */
final class WslProgram implements AutoCloseable {
  static final String NAME = "wsl.exe";

  /**
   * What wsl.exe exits with when it fails itself: 0xFFFFFFFF, of which other systems keep a byte.
   */
  private static final List<Integer> OWN_FAILURE = List.of(-1, 255);

  private final Path program;
  private final Map<String, String> environment;
  private final PipedRunner runner = new PipedRunner();

  /**
   * Runs nothing yet.
   *
   * @param program its path
   * @param environment the variables of this process, without which it does not start
   */
  WslProgram(Path program, Map<String, String> environment) {
    this.program = program;
    this.environment = new HashMap<>(environment);
    this.environment.put("WSL_UTF8", "1");
    // Windows' variables are not for what runs there.
    this.environment.remove("WSLENV");
  }

  /** Returns where it is: in Windows' own directory, else in PATH. */
  static Optional<Path> find(Map<String, String> environment) {
    Environment variables = new Environment(environment);
    Stream<Path> system =
        variables.get("SystemRoot").map(root -> Path.of(root, "System32")).stream();
    return Environment.program(
        NAME, Stream.concat(system, variables.searchPath().stream()).toList());
  }

  /**
   * Runs it.
   *
   * @param arguments without what some interpreter of them would change
   * @param input what it is given
   * @param limit how long it may run
   * @param most how many bytes it may print
   * @throws IOException if it can't be started
   */
  Piped run(List<String> arguments, byte[] input, Duration limit, int most)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(arguments);
    try {
      return runner.run(command, environment, input, limit, most);
    } catch (IllegalStateException e) {
      throw new IOException("it is closed", e);
    }
  }

  /** Returns whether wsl.exe itself has failed, and not what it has run. */
  static boolean hasFailed(Piped run) {
    return run.ended().isEmpty() && OWN_FAILURE.contains(run.exitCode());
  }

  /** Returns the first line that it has printed itself, which stands on either stream. */
  static Optional<String> complaint(Piped run) {
    return Stream.of(run.output(), run.errors())
        .flatMap(bytes -> text(bytes).lines())
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .findFirst();
  }

  /** Returns what it has printed itself: in UTF-16, unless it knows {@code WSL_UTF8}. */
  static String text(byte[] bytes) {
    int zeros = 0;
    for (int i = 1; i < bytes.length; i += 2) {
      zeros += bytes[i] == 0 ? 1 : 0;
    }
    Charset charset = zeros > 0 || startsWithMark(bytes) ? UTF_16LE : UTF_8;
    String text = new String(bytes, charset);
    return text.startsWith("\ufeff") ? text.substring(1) : text;
  }

  private static boolean startsWithMark(byte[] bytes) {
    return bytes.length > 1 && bytes[0] == (byte) 0xff && bytes[1] == (byte) 0xfe;
  }

  @Override
  public void close() {
    runner.close();
  }
}
