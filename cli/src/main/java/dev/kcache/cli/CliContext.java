// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.rocm.HostSystem;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Everything that a command uses of the process it runs in, so that a test can replace it.
 *
 * @param caches creates a builder of a cache, {@code environment} not yet set
 * @param interrupts runs an action when the user wants the command to end
 * @param root {@code /}, or a folder that stands for it where the kernel's files are looked at
 * @param windows whether the process runs on Windows
 */
record CliContext(
    Map<String, String> environment,
    Console console,
    Supplier<CacheManagerBuilder> caches,
    Interrupts interrupts,
    LongSupplier nanoTime,
    InstantSource clock,
    Path root,
    boolean windows) {

  /** Returns the context of this process. */
  static CliContext ofProcess() {
    return new CliContext(
        System.getenv(),
        Console.ofProcess(),
        CacheManager::builder,
        new ShutdownInterrupts(),
        System::nanoTime,
        InstantSource.system(),
        Path.of("/"),
        HostSystem.isWindows());
  }

  /**
   * Returns a builder of the cache that the environment asks for; traces and resources of the class
   * path are for applications.
   */
  CacheManagerBuilder cache() {
    Map<String, String> untraced = new HashMap<>(environment);
    untraced.remove("KCACHE_TRACE");
    return caches.get().environment(untraced).withoutClassPath();
  }

  /** Returns the stream for data. */
  PrintStream out() {
    return console.out();
  }

  /** Returns the stream for everything else. */
  PrintStream err() {
    return console.err();
  }

  /** Prints one line about a problem, which a terminal shows in several if it is long. */
  void problem(String line) {
    console.message(Console.PREFIX + line);
  }

  /** Prints one line about what may be a problem. */
  void warning(String line) {
    problem("warning: " + line);
  }

  /** Returns a progress bar; it draws nothing where a line can't be drawn over. */
  ProgressBar progressBar() {
    boolean dumb = "dumb".equals(environment.get("TERM"));
    return new ProgressBar(err(), dumb ? 0 : console.columns(), nanoTime);
  }
}
