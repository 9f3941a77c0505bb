// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rustc of a manager, looked for when it is first needed; a failure is thrown and not
 * remembered. No version of ROCm and no name of another compiler counts for it.
 *
 * <p>Safe for use by any number of threads. Closing it ends the compiles of what was found.
 */
public final class FoundRustc implements AutoCloseable {
  private final Supplier<ToolchainContext> context;
  private @Nullable RustToolchain found;

  /** Finds nothing yet. */
  public FoundRustc(Supplier<ToolchainContext> context) {
    this.context = context;
  }

  /**
   * Returns the toolchain.
   *
   * @throws ToolchainNotFoundException if there is none
   * @throws IllegalArgumentException if a variable of the environment holds no path
   */
  public synchronized Toolchain get() {
    RustToolchain known = found;
    if (known == null) {
      known = RustToolchain.find(context.get());
      found = known;
    }
    return known;
  }

  /** Returns whether a toolchain is this one. */
  public synchronized boolean is(Toolchain toolchain) {
    return toolchain == found;
  }

  /**
   * Returns which of some labels may be looked up where there is no rustc, the newest first; none
   * if one is asked for that is not there, since that is an error.
   */
  public List<ToolchainLabel> usable(Set<ToolchainLabel> present) {
    return RustPlaces.isNamed(new Environment(context.get().environment()))
        ? List.of()
        : present.stream()
            .filter(label -> label.text().startsWith(RustDialect.NAME))
            .sorted(ToolchainLabel.NEWEST_OF_EACH_COMPILER)
            .toList();
  }

  @Override
  public synchronized void close() {
    if (found != null) {
      found.close();
    }
  }
}
