// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import static java.util.stream.Collectors.joining;

import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ProgramResult.End;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.commons.exec.CommandLine;
import org.apache.commons.exec.ExecuteWatchdog;

/*
 * hipcc is a wrapper: a script that starts a shell that starts a driver that starts a compiler.
 * Ending the first of them leaves the others running, and whoever holds our pipes makes us wait for
 * them. So:
 *
 * - The shell below sends standard output and error to files beside the work directory. Nobody can
 *   hold them against us.
 * - coreutils' timeout makes a process group of its own for everything below it and kills that group
 *   a little after the deadline. It needs no living JVM, and SIGKILL can't be ignored.
 * - When the program ends, its shell writes down the exit status and kills its own group, so that
 *   nothing that the program left behind stays. The group's leader dies with it, which is why the
 *   status is read from a file: no such file means that the program didn't end by itself.
 * - Commons Exec starts the command. Its watchdog, an interrupt, close and the end of the JVM each
 *   destroy the ProcessGroup.
 * - What it prints and writes is bounded by a look at the sizes of the files every 50 ms: there are no
 *   pipes that could be closed, and ulimit -f would cut a code object and call it a crash.
 *
 * What leaves the group by its own will (setsid) is out of reach; no compiler does.
 */

/** Runs programs by a shell, each in its own process group. */
final class ShellRunner extends ProgramRunner {
  private static final String STATUS = "status";

  /** Only this user may read what programs write. */
  private static final String FIRST =
      "umask 077; exec </dev/null >../" + Staging.OUTPUT + " 2>../" + Staging.ERRORS + "; \"$@\"";

  private static final String LAST = "; echo $? >../" + STATUS + "; kill -s KILL 0";

  /**
   * How much later than our own limit {@code timeout} strikes, for the case that the JVM is gone.
   */
  private static final long GRACE_SECONDS = 1;

  /**
   * Looking at a whole directory takes longer than at two files, so only one look of ten does it.
   */
  private static final int DIRECTORY_LOOKS = 10;

  private static final List<Path> SYSTEM = List.of(Path.of("/usr/bin"), Path.of("/bin"));

  private final List<Path> toolPath;

  /** Creates a runner that finds a shell and {@code timeout} in these directories. */
  ShellRunner(List<Path> toolPath) {
    this.toolPath = List.copyOf(toolPath);
  }

  /**
   * Returns a runner that finds a shell and {@code timeout} in the system's directories, then in
   * these.
   */
  static ShellRunner withTools(List<Path> searchPath) {
    List<Path> toolPath = new ArrayList<>(SYSTEM);
    toolPath.addAll(searchPath);
    return new ShellRunner(toolPath);
  }

  @Override
  ProgramResult runAll(
      List<List<String>> commands,
      Staging staging,
      Map<String, String> environment,
      RunLimits limits)
      throws InterruptedException {
    Duration time = atLeast1Ms(limits.time());
    CommandLine command = bounded(commands, time);
    ExecuteWatchdog watchdog = ExecuteWatchdog.builder().setTimeout(time).get();
    GroupExecutor executor =
        new GroupExecutor(
            staging.work(), ProcessGroup.byShell(tool("sh")), running, excesses(staging, limits));
    long start = System.nanoTime();
    Optional<End> excess;
    try {
      prepare(staging);
      excess = executor.run(command, environment, watchdog);
    } catch (IOException e) {
      throw new ToolchainNotFoundException("cannot start a program: " + e.getMessage());
    }
    if (!Files.exists(staging.beside(STATUS))) {
      executor.endGroup();
    }
    return outcome(staging, excess, limits, Duration.ofNanos(System.nanoTime() - start));
  }

  /** Returns a check of the size limits, which returns the one that a run has exceeded, if any. */
  private static Supplier<Optional<End>> excesses(Staging staging, RunLimits limits) {
    int[] looks = new int[1];
    return () -> {
      if (staging.printed() > limits.printed()) {
        return Optional.of(End.PRINTED_TOO_MUCH);
      }
      boolean ended = Files.exists(staging.beside(STATUS));
      if ((ended || ++looks[0] % DIRECTORY_LOOKS == 0) && staging.size() > limits.written()) {
        return Optional.of(End.WROTE_TOO_MUCH);
      }
      return Optional.empty();
    };
  }

  private CommandLine bounded(List<List<String>> commands, Duration bound) {
    CommandLine line = new CommandLine(tool("timeout"));
    List<String> words = new ArrayList<>(List.of("-s", "KILL"));
    words.add(Long.toString(bound.toSeconds() + 1 + GRACE_SECONDS));
    words.addAll(List.of(tool("sh"), "-c", script(commands), "sh"));
    words.addAll(commands.get(0));
    words.forEach(word -> line.addArgument(word, false));
    return line;
  }

  /** The first command is passed as arguments, the others as quoted text. */
  private static String script(List<List<String>> commands) {
    return commands.stream()
        .skip(1)
        .map(command -> command.stream().map(ShellRunner::quoted).collect(joining(" ")))
        .collect(joining(" && ", commands.size() > 1 ? FIRST + " && " : FIRST, LAST));
  }

  /** Within single quotes only the closing quote is special. */
  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  private String tool(String name) {
    return Environment.program(name, toolPath)
        .map(Path::toString)
        .orElseThrow(
            () ->
                new ToolchainNotFoundException(
                    "cannot start the compiler: '"
                        + name
                        + "' not found in /usr/bin, /bin or PATH; install coreutils and a shell"));
  }

  /** Makes the files that the shell writes to, and removes the status of an earlier run. */
  private static void prepare(Staging staging) throws IOException {
    Files.deleteIfExists(staging.beside(STATUS));
    Files.write(staging.beside(Staging.OUTPUT), new byte[0]);
    Files.write(staging.beside(Staging.ERRORS), new byte[0]);
  }

  private ProgramResult outcome(
      Staging staging, Optional<End> excess, RunLimits limits, Duration elapsed) {
    String status = BoundedFile.text(staging.beside(STATUS)).strip();
    boolean exited = status.matches("\\d{1,3}");
    // A program that exited at its deadline has exited; one that exceeded a size limit has failed.
    End end =
        excess
            .filter(limit -> !exited || limit != End.TIMED_OUT)
            .orElseGet(() -> exited ? End.EXITED : End.KILLED);
    if (end != End.EXITED && running.isClosed()) {
      end = End.CLOSED;
    }
    return new ProgramResult(
        end,
        end == End.EXITED ? Integer.parseInt(status) : -1,
        BoundedFile.text(staging.beside(Staging.OUTPUT)),
        BoundedFile.text(staging.beside(Staging.ERRORS)),
        elapsed,
        excess.filter(end::equals).map(limits::explain));
  }
}
