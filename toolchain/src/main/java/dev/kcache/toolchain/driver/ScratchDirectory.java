// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.util.Objects.requireNonNull;

import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.process.ProgramRunner;
import dev.kcache.toolchain.process.RunLimits;
import dev.kcache.toolchain.process.Staging;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A private directory to put files into and to run a program in. Closing it removes it; if this
 * process is killed, a later one does.
 */
public final class ScratchDirectory implements AutoCloseable {
  private final ToolchainContext context;
  private final Staging staging;

  /**
   * Makes the directory.
   *
   * @param context says where, and by which environment programs run
   * @throws ToolchainNotFoundException if it can't be made
   */
  public ScratchDirectory(ToolchainContext context) {
    this.context = requireNonNull(context, "context");
    staging = Staging.create(context.stagingParent());
  }

  /** {@return the directory} */
  public Path path() {
    return staging.work();
  }

  /**
   * Runs a program here, in the context's environment, and waits for it.
   *
   * @param command the program's absolute path, then its arguments
   * @param limit how long it may take
   * @return how the program ended and what it printed, whatever its exit code
   * @throws InterruptedException if the thread is interrupted; the program has been ended
   * @throws ToolchainNotFoundException if it can't be started
   */
  public ProgramResult run(List<String> command, Duration limit) throws InterruptedException {
    requireNonNull(command, "command");
    requireNonNull(limit, "limit");
    List<Path> searchPath = new Environment(context.environment()).searchPath();
    try (ProgramRunner runner = ProgramRunner.create(searchPath)) {
      return runner.run(command, staging, context.environment(), RunLimits.ofCompile(limit));
    }
  }

  @Override
  public void close() {
    staging.close();
  }
}
