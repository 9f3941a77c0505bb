// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.driver.Toolchains;
import java.util.function.Predicate;

/**
 * Which entries the compilers that are present have made, in another version or with other files,
 * and would not serve under {@link CachePolicy#AUTO}. An entry of another kind of compiler, such as
 * one of hipcc's where the embedded LLVM is in use, is not stale: that compiler is not asked.
 *
 * <p>Safe for use by any number of threads.
 */
final class StaleEntries implements Predicate<CacheEntry> {
  private final Toolchains toolchains;
  private final DependencyChecks dependencies;

  /** Asks these compilers. */
  StaleEntries(Toolchains toolchains, DependencyChecks dependencies) {
    this.toolchains = toolchains;
    this.dependencies = dependencies;
  }

  /**
   * Returns whether an entry is stale.
   *
   * @throws ToolchainNotFoundException if there is no compiler for its target to tell
   * @throws CompilationException if the compiler does not tell: that may be the fault of a moment
   */
  @Override
  public boolean test(CacheEntry entry) {
    Toolchain present = toolchains.of(entry.target().processor().platform());
    return present.label().isOfSameCompiler(entry.label())
        && (!present.label().equals(entry.label())
            || !isOf(present, entry)
            || !dependencies.areCurrent(entry));
  }

  private static boolean isOf(Toolchain present, CacheEntry entry) {
    try {
      CompileOptions options = CompileOptions.of(entry.options());
      return present.identity(entry.target(), options.arguments()).equals(entry.toolchain());
    } catch (IllegalArgumentException e) {
      // Such options are not taken any more, so nobody can ask for the entry.
      return false;
    }
  }
}
