// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.pch;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A plan for compiling a job without its driver.
 *
 * @param commands the commands to run in the job's staging directory, in order
 * @param header the precompiled header, if one is used
 */
public record DirectPlan(List<List<String>> commands, Optional<PrecompiledHeader> header) {
  public DirectPlan {
    commands = List.copyOf(commands);
  }

  /** Returns our own files that the compiler lists among those it read, normalised. */
  public Set<Path> sources() {
    return header.map(PrecompiledHeader::sources).orElse(Set.of());
  }
}
