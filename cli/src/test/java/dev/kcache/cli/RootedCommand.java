// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;

/**
 * The command as a process, with a fake compiler, on a machine whose kernel's files are below the
 * directory in the first argument.
 */
final class RootedCommand {
  private RootedCommand() {}

  /** Runs the command that the other arguments make and exits with its code. */
  public static void main(String[] arguments) {
    CliContext context =
        new CliContext(
            System.getenv(),
            Console.ofProcess(),
            () -> CacheManager.builder().toolchain(new FakeToolchain()),
            action -> () -> {},
            System::nanoTime,
            InstantSource.system(),
            Path.of(arguments[0]),
            false);
    System.exit(KcacheCommand.run(context, Arrays.copyOfRange(arguments, 1, arguments.length)));
  }
}
