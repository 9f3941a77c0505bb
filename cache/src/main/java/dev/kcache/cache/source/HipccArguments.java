// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;
import java.util.Optional;

/** The words that hipcc (HIP 5.2) takes as its own options wherever they stand in an argument. */
final class HipccArguments {
  private static final List<String> ANYWHERE =
      List.of("--genco", "--amdhsa-code-object-version=", "-fopenmp-targets=");
  private static final List<String> AT_THE_END = List.of(".a", ".lo");

  private HipccArguments() {}

  static Optional<String> in(String argument) {
    return ANYWHERE.stream()
        .filter(argument::contains)
        .findFirst()
        .or(() -> AT_THE_END.stream().filter(argument::endsWith).findFirst());
  }

  /** Returns whether hipcc passes an argument on as it is. */
  static boolean survives(String argument) {
    return isPrintableAscii(argument) && in(argument).isEmpty();
  }

  static boolean isPrintableAscii(String text) {
    return text.chars().allMatch(c -> c >= ' ' && c <= '~');
  }
}
