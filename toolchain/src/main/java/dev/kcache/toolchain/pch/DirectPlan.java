// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.pch;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A way to compile a job without its driver.
 *
 * @param commands what to run in the job's staging directory, one after the other
 * @param header the precompiled header that takes part, if one does
 */
public record DirectPlan(List<List<String>> commands, Optional<PrecompiledHeader> header) {
  public DirectPlan {
    commands = List.copyOf(commands);
  }

  /** Returns what the compiler lists among the files that it read for our sake, normalised. */
  public Set<Path> sources() {
    return header.map(PrecompiledHeader::sources).orElse(Set.of());
  }
}
