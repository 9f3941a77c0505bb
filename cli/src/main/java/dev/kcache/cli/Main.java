// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.rocm.HostSystem;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;

/** The entry point of the {@code kcache} command. */
public final class Main {
  private Main() {}

  /**
   * Runs the command and exits with its code.
   *
   * @param arguments a verb and its arguments
   */
  public static void main(String[] arguments) {
    int exitCode = KcacheCommand.run(CliContext.ofProcess(), arguments);
    ShutdownInterrupts.letSignalEndFirst();
    System.exit(exitCode);
  }

  /**
   * Runs the command inside another program, such as a build tool. It asks nothing, and a signal
   * that ends the program ends the command. Several may run at once.
   *
   * @param environment the variables that the command sees
   * @param out takes data
   * @param err takes everything else
   * @param arguments a verb and its arguments; relative paths are relative to the program's folder
   * @return the exit code: 0 if all is done, 1 if kernels failed, 2 if the arguments are wrong, 3
   *     if the machine lacks something, 4 if the cache is damaged
   */
  public static int run(
      Map<String, String> environment, PrintStream out, PrintStream err, String... arguments) {
    Console console =
        new Console(InputStream.nullInputStream(), out, () -> "", () -> false, () -> false, err, 0);
    return KcacheCommand.run(
        new CliContext(
            environment,
            console,
            CacheManager::builder,
            new ShutdownInterrupts(),
            System::nanoTime,
            InstantSource.system(),
            Path.of("/"),
            HostSystem.isWindows()),
        arguments);
  }
}
