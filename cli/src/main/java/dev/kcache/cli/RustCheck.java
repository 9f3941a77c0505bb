// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cli.Check.Status;
import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.util.Map;
import java.util.Optional;

/** The check of rustc by {@code kcache doctor}. Most machines need none, so none is no fault. */
final class RustCheck {
  private static final String VARIABLE = "KCACHE_RUSTC";
  private static final String REPAIR = "set " + VARIABLE + " to another rustc, or unset it";

  private RustCheck() {}

  /** Returns whether a rustc takes what is not stable yet, as every kernel does. */
  private static boolean isUnstable(String rustc, Map<String, String> environment) {
    return rustc.contains("-nightly")
        || rustc.contains("-dev")
        || KcacheVariables.isSet("RUSTC_BOOTSTRAP", environment);
  }

  /** Checks rustc; returns nothing where there is none and none is asked for. */
  static Optional<Check> of(Map<String, String> environment, CacheManager cache) {
    boolean asked = KcacheVariables.isSet(VARIABLE, environment);
    if (!asked
        && Environment.program("rustc", new Environment(environment).searchPath()).isEmpty()) {
      return Optional.empty();
    }
    try {
      Toolchain rustc = cache.toolchain(Platform.AMD, Language.RUST);
      String found =
          rustc.describe()
              + ", label "
              + rustc.label()
              + ", for "
              + rustc.processors().size()
              + " processors";
      return Optional.of(
          isUnstable(rustc.describe(), environment)
              ? Check.ok("rust", found)
              : Check.note(
                  "rust",
                  found + "; kernels need a nightly one, or RUSTC_BOOTSTRAP=1 for this one"));
    } catch (ToolchainNotFoundException | IllegalArgumentException e) {
      String line = Problem.of(e).line();
      return Optional.of(
          asked ? Check.of(Status.WARN, "rust", line, REPAIR) : Check.note("rust", line));
    }
  }
}
