// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The options of a kernel, which are clang's, as nvcc takes them. One source is compiled for both
 * platforms with one list of options, so what means the same is translated, warnings that nvcc does
 * not know are left out, and what would change the result and can't be had is refused.
 */
final class NvccOptions {
  /** By what they do to floating point: see CUDA's nvcc documentation, "Device code options". */
  private static final Map<String, List<String>> FLOATING_POINT =
      Map.of(
          "-ffast-math", List.of("--use_fast_math"),
          "-fno-fast-math", List.of(),
          "-ffp-contract=off", List.of("--fmad=false"),
          "-ffp-contract=on", List.of("--fmad=true"),
          "-ffp-contract=fast", List.of("--fmad=true"));

  private NvccOptions() {}

  /** Returns the first option that changes the result and has no counterpart, if there is one. */
  static Optional<String> untranslatable(List<String> options) {
    return options.stream().filter(option -> translate(option).isEmpty()).findFirst();
  }

  /** Returns the options for nvcc; what has no counterpart is left out. */
  static List<String> translate(List<String> options) {
    return options.stream()
        .flatMap(option -> translate(option).stream().flatMap(List::stream))
        .toList();
  }

  private static Optional<List<String>> translate(String option) {
    if (option.matches("-[DU].*|-std=.*")) {
      return Optional.of(List.of(option.replace("-std=gnu++", "-std=c++")));
    }
    if (option.matches("-O[0-3]?")) {
      String level = option.equals("-O") ? "1" : option.substring(2);
      return Optional.of(List.of("-O" + level, "-Xptxas=-O" + level));
    }
    if (option.equals("-Werror")) {
      return Optional.of(List.of("--Werror=all-warnings"));
    }
    return option.startsWith("-W")
        ? Optional.of(List.of())
        : Optional.ofNullable(FLOATING_POINT.get(option));
  }
}
