// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import dev.kcache.toolchain.ProgramResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Runs the programs of one compiler in staging directories, always with the same environment.
 *
 * <p>Safe for use by any number of threads. Closing it ends what runs.
 */
public final class CompilerPrograms implements AutoCloseable {
  private final ProgramRunner runner;
  private final Map<String, String> environment;
  private final Supplier<Path> stagingParent;

  /**
   * Creates the object; runs nothing.
   *
   * @param environment the environment, without TMPDIR, which differs from run to run
   * @param stagingParent returns the parent of staging directories
   */
  public CompilerPrograms(
      ProgramRunner runner, Map<String, String> environment, Supplier<Path> stagingParent) {
    this.runner = runner;
    this.environment = Map.copyOf(environment);
    this.stagingParent = stagingParent;
  }

  /** Returns a new staging directory. */
  public Staging stage() {
    return Staging.create(stagingParent);
  }

  /** Runs commands in a staging directory, one after the other until one fails. */
  public ProgramResult run(List<List<String>> commands, Staging staging, RunLimits limits)
      throws InterruptedException {
    return run(commands, staging, Map.of(), limits);
  }

  /** Runs commands as above, with more variables in their environment. */
  public ProgramResult run(
      List<List<String>> commands, Staging staging, Map<String, String> more, RunLimits limits)
      throws InterruptedException {
    Map<String, String> complete = new TreeMap<>(environment);
    complete.put("TMPDIR", staging.temporary().toString());
    complete.putAll(more);
    return runner.runAll(commands, staging, complete, limits);
  }

  @Override
  public void close() {
    runner.close();
  }
}
