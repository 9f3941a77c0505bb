// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import static java.util.stream.Collectors.joining;

import dev.kcache.cache.ToolchainNotFoundException;
import dev.kcache.cache.toolchain.ProgramOutcome.End;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/*
 * hipcc is a wrapper: a script that starts a shell that starts a driver that starts a compiler.
 * Ending the first of them leaves the others running, and whoever holds our pipes makes us wait for
 * them. So:
 *
 * - Standard output and error are files of the staging directory. Nobody can hold them against us.
 * - coreutils' timeout makes a process group of its own for everything below it and kills that group
 *   at the deadline. It needs no living JVM, and SIGKILL can't be ignored.
 * - When the program ends, its shell writes down the exit status and kills its own group, so that
 *   nothing that the program left behind stays. The group's leader dies with it, which is why the
 *   status is read from a file: no such file means that the program didn't end by itself.
 * - Interrupt, close and the end of the JVM kill the group at once. It exists as soon as timeout
 *   runs, but not when that has only been forked: so its leader is killed as well, and then the
 *   group once more.
 *
 * - What it prints and writes is bounded by a look at the sizes of the files every 50 ms: there are no
 *   pipes that could be closed, and ulimit -f would cut a code object and call it a crash.
 *
 * What leaves the group by its own will (setsid) is out of reach; no compiler does.
 */

/**
 * Runs programs, each in its own process group and none beyond its {@linkplain RunLimits limits},
 * and ends them all when it is closed or the JVM ends.
 *
 * <p>Safe for use by any number of threads.
 */
final class ProcessRunner implements AutoCloseable {
  /** What programs make is for nobody else to read. */
  private static final String FIRST = "umask 077; \"$@\"";

  private static final String END = "; echo $? >../status; kill -s KILL 0";

  /**
   * How much later than ours the bound of {@code timeout} is, which serves when the JVM is gone.
   */
  private static final long GRACE_SECONDS = 1;

  /** How often a run is looked at. */
  private static final Duration LOOK = Duration.ofMillis(50);

  /** A look at a whole directory takes longer than one at two files: one of so many. */
  private static final int DIRECTORY_LOOKS = 10;

  private static final List<Path> SYSTEM = List.of(Path.of("/usr/bin"), Path.of("/bin"));

  private final List<Path> toolPath;
  private final Set<Process> running = new HashSet<>();
  private @Nullable Thread hook;
  private boolean closed;

  /** Creates a runner whose own tools, a shell and {@code timeout}, are in these directories. */
  ProcessRunner(List<Path> toolPath) {
    this.toolPath = List.copyOf(toolPath);
  }

  /** Returns a runner that finds its own tools in the system's directories, then in these. */
  static ProcessRunner create(List<Path> searchPath) {
    List<Path> toolPath = new ArrayList<>(SYSTEM);
    toolPath.addAll(searchPath);
    return new ProcessRunner(toolPath);
  }

  /**
   * Runs a program in the work directory of {@code staging} and waits for it.
   *
   * @param command the program's absolute path, then its arguments
   * @param environment its whole environment
   * @throws InterruptedException if the thread is interrupted; the program's group has been ended
   * @throws ToolchainNotFoundException if the program can't be started
   */
  ProgramOutcome run(
      List<String> command, Staging staging, Map<String, String> environment, RunLimits limits)
      throws InterruptedException {
    return runAll(List.of(command), staging, environment, limits);
  }

  /**
   * As {@link #run}, for several programs, one after the other until one fails.
   *
   * @param commands at least one
   * @param limits how far they may go together
   * @throws InterruptedException if the thread is interrupted; the program's group has been ended
   * @throws ToolchainNotFoundException if the program can't be started
   */
  ProgramOutcome runAll(
      List<List<String>> commands,
      Staging staging,
      Map<String, String> environment,
      RunLimits limits)
      throws InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(bounded(commands, limits.time()));
    builder.directory(staging.work().toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.redirectInput(new File("/dev/null"));
    builder.redirectOutput(staging.beside(Staging.OUTPUT).toFile());
    builder.redirectError(staging.beside(Staging.ERRORS).toFile());
    forget(staging);
    long start = System.nanoTime();
    Process process = start(builder);
    Optional<End> excess;
    try {
      excess = watch(process, staging, limits, start + limits.time().toNanos());
    } finally {
      finish(process, staging);
    }
    return outcome(staging, excess, limits, Duration.ofNanos(System.nanoTime() - start));
  }

  /** Waits until a program ends by itself or goes beyond a limit; returns which, if it does. */
  private static Optional<End> watch(
      Process process, Staging staging, RunLimits limits, long deadline)
      throws InterruptedException {
    for (int looks = 1; ; looks++) {
      long left = deadline - System.nanoTime();
      boolean ended = process.waitFor(Math.min(left, LOOK.toNanos()), TimeUnit.NANOSECONDS);
      if (staging.printed() > limits.printed()) {
        return Optional.of(End.PRINTED_TOO_MUCH);
      }
      if ((ended || looks % DIRECTORY_LOOKS == 0) && staging.size() > limits.written()) {
        return Optional.of(End.WROTE_TOO_MUCH);
      }
      if (ended) {
        return Optional.empty();
      }
      if (left <= LOOK.toNanos()) {
        return Optional.of(End.TIMED_OUT);
      }
    }
  }

  /** Ends what runs and refuses to run more. Closing twice has no effect. */
  @Override
  public void close() {
    Thread registered;
    synchronized (this) {
      closed = true;
      registered = hook;
      hook = null;
    }
    if (registered != null) {
      unregister(registered);
    }
    killAll();
  }

  private List<String> bounded(List<List<String>> commands, Duration bound) {
    List<String> words = new ArrayList<>();
    words.add(tool("timeout"));
    words.addAll(List.of("-s", "KILL"));
    words.add(Long.toString(bound.toSeconds() + 1 + GRACE_SECONDS));
    words.addAll(List.of(tool("sh"), "-c", script(commands), "sh"));
    words.addAll(commands.get(0));
    return words;
  }

  /** The first command is passed as it is, the others as quoted text. */
  private static String script(List<List<String>> commands) {
    return commands.stream()
        .skip(1)
        .map(command -> command.stream().map(ProcessRunner::quoted).collect(joining(" ")))
        .collect(joining(" && ", commands.size() > 1 ? FIRST + " && " : FIRST, END));
  }

  /** Nothing but the end of the quotes means anything between them. */
  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  private String tool(String name) {
    return Variables.program(name, toolPath)
        .map(Path::toString)
        .orElseThrow(
            () ->
                new ToolchainNotFoundException(
                    "no compiler can be run: no '"
                        + name
                        + "' in /usr/bin, /bin or PATH; install coreutils and a shell"));
  }

  private synchronized Process start(ProcessBuilder builder) {
    if (closed) {
      throw new IllegalStateException("closed");
    }
    if (hook == null) {
      hook = new Thread(this::killAll, "kcache-end-compilers");
      Runtime.getRuntime().addShutdownHook(hook);
    }
    try {
      Process process = builder.start();
      running.add(process);
      return process;
    } catch (IOException e) {
      throw new ToolchainNotFoundException("a program can't be started: " + e.getMessage());
    }
  }

  /** Leaves nothing of the group alive, whether the program ended, is late or isn't wanted. */
  private void finish(Process process, Staging staging) {
    if (process.isAlive() || !Files.exists(staging.beside("status"))) {
      kill(process);
    }
    synchronized (this) {
      running.remove(process);
    }
  }

  /** How an earlier run in the same directory ended says nothing of this one. */
  private static void forget(Staging staging) {
    try {
      Files.deleteIfExists(staging.beside("status"));
    } catch (IOException e) {
      throw new ToolchainNotFoundException("a program can't be started: " + e.getMessage());
    }
  }

  private ProgramOutcome outcome(
      Staging staging, Optional<End> excess, RunLimits limits, Duration elapsed) {
    String status = BoundedText.read(staging.beside("status")).strip();
    boolean exited = status.matches("\\d{1,3}");
    // One that ended at its deadline ended by itself; one that went too far is not believed.
    End end =
        excess
            .filter(limit -> !exited || limit != End.TIMED_OUT)
            .orElseGet(() -> exited ? End.EXITED : End.KILLED);
    if (end != End.EXITED && isClosed()) {
      end = End.CLOSED;
    }
    return new ProgramOutcome(
        end,
        end == End.EXITED ? Integer.parseInt(status) : -1,
        BoundedText.read(staging.beside(Staging.OUTPUT)),
        BoundedText.read(staging.beside(Staging.ERRORS)),
        elapsed,
        excess.filter(end::equals).map(limits::explain));
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private void killAll() {
    List<Process> processes;
    synchronized (this) {
      processes = List.copyOf(running);
    }
    for (Process process : processes) {
      kill(process);
    }
  }

  private void kill(Process process) {
    killGroup(process.pid());
    if (process.isAlive()) {
      process.destroyForcibly();
      awaitUninterruptibly(process);
      killGroup(process.pid());
    }
  }

  private void killGroup(long leader) {
    ProcessBuilder builder =
        new ProcessBuilder(tool("sh"), "-c", "kill -s KILL -- -" + leader + " 2>/dev/null");
    builder.redirectInput(new File("/dev/null"));
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    try {
      awaitUninterruptibly(builder.start());
    } catch (IOException e) {
      System.getLogger(ProcessRunner.class.getName())
          .log(System.Logger.Level.WARNING, "could not end the process group " + leader, e);
    }
  }

  /** Waits for a process that has been killed, or that only kills; both are a matter of moments. */
  private static void awaitUninterruptibly(Process process) {
    boolean interrupted = false;
    while (true) {
      try {
        process.waitFor(5, TimeUnit.SECONDS);
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void unregister(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending already, and the hook does what close does.
    }
  }
}
