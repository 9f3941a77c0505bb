// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.wsl;

import dev.kcache.toolchain.ExecutorLoad;
import dev.kcache.toolchain.ProgramResult.End;
import dev.kcache.toolchain.executor.CommandExecutor;
import dev.kcache.toolchain.process.PipedRunner.Piped;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs commands in a distribution of the Windows Subsystem for Linux, each in a new directory of
 * the distribution's own file system. No path is translated, and no drive of Windows is used.
 *
 * <p>Safe for use by any number of threads.
 */
final class WslExecutor implements CommandExecutor {
  /** What starting the virtual machine and moving files may take beside the command. */
  private static final Duration GRACE = Duration.ofSeconds(60);

  private static final Duration LONGEST = Duration.ofDays(30);

  private final WslProgram wsl;
  private final String distribution;
  private final String repair;
  private final Duration grace;
  private final int most;
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicLong done = new AtomicLong();

  WslExecutor(WslProgram wsl, String distribution, String repair) {
    this(wsl, distribution, repair, GRACE, mostBytes());
  }

  /**
   * Runs nothing yet.
   *
   * @param wsl closed with this
   * @param distribution one that is installed
   * @param repair what to do about one without a compiler
   * @param grace how much longer than its limit a command may take
   * @param most how many bytes may come back
   */
  WslExecutor(WslProgram wsl, String distribution, String repair, Duration grace, int most) {
    this.wsl = wsl;
    this.distribution = distribution;
    this.repair = repair;
    this.grace = grace;
    this.most = most;
  }

  /** A quarter of the heap, since a code object is copied when it is checked. */
  private static int mostBytes() {
    return (int) Math.min(1 << 30, Runtime.getRuntime().maxMemory() / 4);
  }

  /** A distribution is updated as any machine is, so nothing found out about it holds for long. */
  @Override
  public Platform platform() {
    return new Platform(Map.of("wsl", distribution));
  }

  @Override
  public String describe() {
    return "WSL's " + distribution;
  }

  @Override
  public String repair() {
    return repair;
  }

  @Override
  public Result run(Command command) throws IOException, InterruptedException {
    LinuxRun run = new LinuxRun(command);
    Duration limit = command.limit().compareTo(LONGEST) > 0 ? LONGEST : command.limit();
    long start = System.nanoTime();
    running.incrementAndGet();
    try {
      List<String> arguments =
          List.of("-d", distribution, "--cd", "/", "--exec", "/bin/sh", "-c", LinuxRun.SCRIPT);
      Piped piped = wsl.run(arguments, run.input(), limit.plus(grace), most);
      return result(run, piped, Duration.ofNanos(System.nanoTime() - start));
    } finally {
      running.decrementAndGet();
      done.incrementAndGet();
    }
  }

  private Result result(LinuxRun run, Piped piped, Duration elapsed) throws IOException {
    if (piped.ended().isPresent()) {
      throw new IOException(ended(piped.ended().get(), elapsed));
    }
    if (WslProgram.hasFailed(piped)) {
      throw new IOException(
          "wsl.exe says \"%s\"; does 'wsl -d %s' in a terminal of Windows start it?"
              .formatted(
                  WslProgram.complaint(piped).orElse("nothing, and exits with -1"), distribution));
    }
    String said = WslProgram.text(piped.errors()).strip();
    if (piped.exitCode() != 0) {
      throw new IOException(
          said.startsWith("kcache: ")
              ? "it " + said.substring("kcache: ".length()) + "; install coreutils and tar in it"
              : "a command there ended with %d and said \"%s\""
                  .formatted(piped.exitCode(), said.lines().findFirst().orElse("")));
    }
    try {
      return run.result(piped.output(), elapsed);
    } catch (IOException e) {
      throw new IOException(
          "what came back through wsl.exe is not a result, since %s: %s"
              .formatted(e.getMessage(), said.lines().findFirst().orElse("it said nothing")),
          e);
    }
  }

  private String ended(End end, Duration elapsed) {
    return switch (end) {
      case TIMED_OUT ->
          "wsl.exe did not end within "
              + String.format(Locale.ROOT, "%.1f", elapsed.toMillis() / 1000.0)
              + " s and was ended; 'wsl --shutdown' in a terminal of Windows ends a WSL that hangs";
      case PRINTED_TOO_MUCH ->
          "more than the "
              + most / 1_000_000
              + " MB that Java has room for came back; give it more memory with"
              + " KCACHE_JAVA_OPTS=-Xmx...";
      default -> "it is closed";
    };
  }

  @Override
  public ExecutorLoad load() {
    return new ExecutorLoad(0, running.get(), done.get());
  }

  /** Ends running commands there, too: they end when their standard input does. */
  @Override
  public void close() {
    wsl.close();
  }
}
