// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ProgramResult.End;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.commons.exec.CommandLine;
import org.apache.commons.exec.ExecuteWatchdog;

/**
 * Runs programs on Windows: without a shell, since its own would change arguments. What a program
 * prints comes by pipes, for which a process that it left behind is waited for some seconds only.
 */
final class DirectRunner extends ProgramRunner {
  /** Without these no program starts, or finds Windows' own libraries. */
  private static final List<String> SYSTEM =
      List.of("SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT");

  /** Looking at a whole directory takes longer than at two streams. */
  private static final int DIRECTORY_LOOKS = 10;

  private final ProcessTree.Kind trees;
  private final UnaryOperator<List<String>> words;
  private final Map<String, String> variables;

  /**
   * Creates a runner that runs nothing yet.
   *
   * @param trees how processes are ended
   * @param words gives a command the form in which Java takes it
   * @param variables those of this process
   */
  DirectRunner(
      ProcessTree.Kind trees, UnaryOperator<List<String>> words, Map<String, String> variables) {
    this.trees = trees;
    this.words = words;
    this.variables = variables;
  }

  static DirectRunner onWindows(Map<String, String> variables) {
    return new DirectRunner(WindowsTree.kind(variables), WindowsCommandLine::words, variables);
  }

  @Override
  ProgramResult runAll(
      List<List<String>> commands,
      Staging staging,
      Map<String, String> environment,
      RunLimits limits)
      throws InterruptedException {
    long start = System.nanoTime();
    Printed printed = new Printed();
    Optional<End> excess = Optional.empty();
    int status = 0;
    for (List<String> command : commands) {
      Pipes pipes = Pipes.withoutInput((int) limits.printed());
      GroupExecutor executor =
          new GroupExecutor(staging.work(), trees, running, excesses(pipes, staging, limits));
      executor.setStreamHandler(pipes);
      Duration left = atLeast1Ms(limits.time().minusNanos(System.nanoTime() - start));
      try {
        excess =
            executor.run(
                line(words.apply(command)),
                complete(environment),
                ExecuteWatchdog.builder().setTimeout(left).get());
      } catch (IOException | IllegalArgumentException e) {
        throw new ToolchainNotFoundException("cannot start a program: " + e.getMessage());
      }
      printed.add(pipes);
      status = executor.exitCode();
      if (excess.isPresent() || status != 0) {
        break;
      }
    }
    return outcome(excess, status, printed, limits, Duration.ofNanos(System.nanoTime() - start));
  }

  private static CommandLine line(List<String> words) {
    CommandLine line = new CommandLine(words.get(0));
    words.stream().skip(1).forEach(word -> line.addArgument(word, false));
    return line;
  }

  /** Windows' programs look for the temporary directory by other names. */
  private Map<String, String> complete(Map<String, String> environment) {
    Map<String, String> complete = new TreeMap<>(environment);
    for (String name : SYSTEM) {
      if (variables.containsKey(name)) {
        complete.putIfAbsent(name, variables.get(name));
      }
    }
    if (environment.containsKey("TMPDIR")) {
      complete.put("TEMP", environment.get("TMPDIR"));
      complete.put("TMP", environment.get("TMPDIR"));
    }
    return complete;
  }

  private static Supplier<Optional<End>> excesses(Pipes pipes, Staging staging, RunLimits limits) {
    int[] looks = new int[1];
    return () ->
        pipes
            .excess()
            .or(
                () ->
                    ++looks[0] % DIRECTORY_LOOKS == 0 && staging.size() > limits.written()
                        ? Optional.of(End.WROTE_TOO_MUCH)
                        : Optional.empty());
  }

  /** What several programs printed, one after the other. */
  private static final class Printed {
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    void add(Pipes pipes) {
      output.writeBytes(pipes.output());
      errors.writeBytes(pipes.errors());
    }

    /** Returns a text with the line ends of other systems. */
    static String text(ByteArrayOutputStream bytes) {
      return BoundedFile.text(bytes.toByteArray()).replace("\r\n", "\n");
    }
  }

  private ProgramResult outcome(
      Optional<End> excess, int status, Printed printed, RunLimits limits, Duration elapsed) {
    End end = excess.orElse(End.EXITED);
    // What its child did before it was ended itself may look like success.
    if (running.isClosed()) {
      end = End.CLOSED;
    }
    return new ProgramResult(
        end,
        end == End.EXITED ? status : -1,
        Printed.text(printed.output),
        Printed.text(printed.errors),
        elapsed,
        excess.filter(end::equals).map(limits::explain));
  }
}
