// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static java.util.Objects.requireNonNull;

import dev.kcache.toolchain.ExecutorLoad;
import dev.kcache.toolchain.executor.CommandExecutor;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs commands on the workers of a server that speaks the Remote Execution API. A command is an
 * action there, so that equal ones are run once, whoever sends them.
 *
 * <p>Safe for use by any number of threads. A command is waited for no longer than {@link
 * ExecutionBounds} says, and survives a server that is started again meanwhile.
 */
final class ReapiExecutor implements CommandExecutor {
  private final Farm farm;
  private final Set<Execution> running = ConcurrentHashMap.newKeySet();

  ReapiExecutor(GrpcAddress address, Platform platform) {
    this(new Farm(address, platform, ExecutionBounds.DEFAULT, Farm::sleep));
  }

  ReapiExecutor(Farm farm) {
    this.farm = farm;
  }

  @Override
  public Platform platform() {
    return farm.platform;
  }

  @Override
  public String describe() {
    return farm.address.shown();
  }

  @Override
  public String repair() {
    return "name an image with a ROCm that compiles in KCACHE_EXECUTOR_PLATFORM";
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if a path leaves the directory of the command
   */
  @Override
  public Result run(Command command) throws IOException, InterruptedException {
    requireNonNull(command, "command");
    Execution execution = new Execution(farm, command, CommandAction.of(command, farm.platform));
    running.add(execution);
    try {
      return execution.run();
    } finally {
      running.remove(execution);
    }
  }

  @Override
  public ExecutorLoad load() {
    return farm.load();
  }

  @Override
  public void close() {
    farm.closed = true;
    running.forEach(Execution::cancel);
    farm.close();
  }
}
