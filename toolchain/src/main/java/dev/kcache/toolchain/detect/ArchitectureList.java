// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The output of amdgpu-arch, offload-arch and rocm_agent_enumerator: a line with the target of each
 * GPU. The second also lists NVIDIA's GPUs, and the third lists a CPU as gfx000.
 */
final class ArchitectureList {
  private static final Pattern TARGET = Pattern.compile("gfx(?!000)\\w+(?::\\w+[+-])*");

  private ArchitectureList() {}

  /** Returns AMD's GPUs, in order. */
  static List<ListedGpu> parse(String printed) {
    return printed
        .lines()
        .map(String::strip)
        .filter(line -> TARGET.matcher(line).matches())
        .map(target -> new ListedGpu(target, "", Optional.empty()))
        .toList();
  }
}
