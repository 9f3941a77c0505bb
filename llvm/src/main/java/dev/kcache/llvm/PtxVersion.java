// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.codeobject.Processor;
import java.util.Map;
import java.util.Optional;

/**
 * A version of PTX, NVIDIA's intermediate language.
 *
 * @param major the first number
 * @param minor the second one, a single digit
 */
record PtxVersion(int major, int minor) {
  /** The first that tells which lanes are active. */
  private static final PtxVersion LEAST = new PtxVersion(6, 3);

  /** The first version that has them, by "PTX ISA", release notes; older ones are in the least. */
  private static final Map<String, PtxVersion> FIRST =
      Map.ofEntries(
          Map.entry("compute_80", new PtxVersion(7, 0)),
          Map.entry("compute_86", new PtxVersion(7, 1)),
          Map.entry("compute_87", new PtxVersion(7, 4)),
          Map.entry("compute_89", new PtxVersion(7, 8)),
          Map.entry("compute_90", new PtxVersion(7, 8)),
          Map.entry("compute_90a", new PtxVersion(8, 0)),
          Map.entry("compute_100", new PtxVersion(8, 6)),
          Map.entry("compute_100a", new PtxVersion(8, 6)),
          Map.entry("compute_101", new PtxVersion(8, 6)),
          Map.entry("compute_101a", new PtxVersion(8, 6)),
          Map.entry("compute_120", new PtxVersion(8, 7)),
          Map.entry("compute_120a", new PtxVersion(8, 7)));

  /** The newest architecture in the least version. */
  private static final int LAST_OF_LEAST = 75;

  /**
   * Returns the PTX version for a virtual architecture: the first one that has it, which the most
   * drivers accept; empty if it is unknown or not virtual.
   */
  static Optional<PtxVersion> of(Processor processor) {
    PtxVersion first = FIRST.get(processor.toString());
    return first == null && processor.isVirtual() && isOld(processor.toString())
        ? Optional.of(LEAST)
        : Optional.ofNullable(first);
  }

  private static boolean isOld(String name) {
    String number = name.substring("compute_".length());
    return number.length() == 2 && Integer.parseInt(number) <= LAST_OF_LEAST;
  }

  /** Returns the feature of LLVM's that selects it. */
  String feature() {
    return "+ptx" + major + minor;
  }
}
