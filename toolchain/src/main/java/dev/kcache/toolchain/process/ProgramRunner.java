// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import dev.kcache.rocm.HostSystem;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Runs programs, each with all that it starts and none beyond its {@linkplain RunLimits limits},
 * and ends them all when it is closed or the JVM ends: {@link ShellRunner}, or on Windows {@link
 * DirectRunner}.
 *
 * <p>Safe for use by any number of threads.
 */
public abstract class ProgramRunner implements AutoCloseable {
  final RunningGroups running = new RunningGroups();

  ProgramRunner() {}

  /**
   * Returns a runner for this system.
   *
   * @param searchPath where it looks for a shell and {@code timeout} beside the system's
   *     directories
   */
  public static ProgramRunner create(List<Path> searchPath) {
    return HostSystem.isWindows()
        ? DirectRunner.onWindows(System.getenv())
        : ShellRunner.withTools(searchPath);
  }

  /**
   * Runs a program in the work directory of {@code staging} and waits for it.
   *
   * @param command the program's absolute path, then its arguments
   * @param environment its whole environment
   * @throws InterruptedException if the thread is interrupted; the program's group has been ended
   * @throws ToolchainNotFoundException if the program can't be started
   */
  public final ProgramResult run(
      List<String> command, Staging staging, Map<String, String> environment, RunLimits limits)
      throws InterruptedException {
    return runAll(List.of(command), staging, environment, limits);
  }

  /**
   * As {@link #run}, for several programs, one after the other until one fails.
   *
   * @param commands at least one
   * @param limits their limits together
   * @throws InterruptedException if the thread is interrupted; the program's group has been ended
   * @throws ToolchainNotFoundException if the program can't be started
   */
  abstract ProgramResult runAll(
      List<List<String>> commands,
      Staging staging,
      Map<String, String> environment,
      RunLimits limits)
      throws InterruptedException;

  /** Ends all running programs and refuses to run more. Closing twice has no effect. */
  @Override
  public final void close() {
    running.close();
  }

  /** Earlier steps may have used up the time, but Commons Exec needs a positive one. */
  static Duration atLeast1Ms(Duration time) {
    Duration shortest = Duration.ofMillis(1);
    return time.compareTo(shortest) < 0 ? shortest : time;
  }
}
