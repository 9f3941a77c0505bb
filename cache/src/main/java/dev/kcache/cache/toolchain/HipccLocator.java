// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import dev.kcache.cache.ToolchainNotFoundException;
import java.nio.file.Path;
import java.util.Optional;

/** Finds hipcc: {@code KCACHE_HIPCC}, else the first one in the {@link RocmDirectories}. */
final class HipccLocator {
  private static final String VARIABLE = "KCACHE_HIPCC";

  private final Variables variables;
  private final RocmDirectories directories;

  HipccLocator(Variables variables, RocmDirectories directories) {
    this.variables = variables;
    this.directories = directories;
  }

  /**
   * Returns the absolute path of hipcc; it is an executable file.
   *
   * @throws ToolchainNotFoundException if there is none
   * @throws IllegalArgumentException if {@code KCACHE_HIPCC} names something else
   */
  Path locate() {
    Optional<Path> named = variables.path(VARIABLE);
    if (named.isPresent()) {
      return checked(named.get());
    }
    return directories.find("hipcc").orElseThrow(this::notFound);
  }

  private static Path checked(Path hipcc) {
    if (!Variables.isProgram(hipcc)) {
      throw new IllegalArgumentException(
          VARIABLE + "=" + hipcc + ": not an executable file; set it to the path of hipcc");
    }
    return hipcc;
  }

  private ToolchainNotFoundException notFound() {
    return new ToolchainNotFoundException(
        "no hipcc in "
            + directories.describe()
            + "; install ROCm's compiler (Debian, Ubuntu: apt install hipcc) or set "
            + VARIABLE
            + " to its path");
  }
}
