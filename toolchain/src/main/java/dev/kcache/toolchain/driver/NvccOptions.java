// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

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

  /** What clang calls a standard before it is one, and calls it for ever. */
  private static final Map<String, String> DRAFTS =
      Map.of("0x", "11", "1y", "14", "1z", "17", "2a", "20", "2b", "23", "2c", "26");

  /** What the shell, in which nvcc runs its programs, changes between double quotes. */
  private static final Pattern OF_THE_SHELL = Pattern.compile("-D.*[$`\\\\].*");

  private NvccOptions() {}

  /** Returns why nvcc can't be given one of the options, as a sentence, if there is such a one. */
  static Optional<String> objection(List<String> options) {
    return options.stream().flatMap(option -> objection(option).stream()).findFirst();
  }

  private static Optional<String> objection(String option) {
    if (OF_THE_SHELL.matcher(option).matches()) {
      return Optional.of(
          "nvcc would give "
              + option
              + " to a shell, which changes $, ` and \\; define it in the source instead");
    }
    return translate(option).isPresent()
        ? Optional.empty()
        : Optional.of(
            "nvcc is given no "
                + option
                + ", whose meaning is clang's; leave it away for NVIDIA's targets");
  }

  /** Returns the options for nvcc; what has no counterpart is left out. */
  static List<String> translate(List<String> options) {
    // Of nvcc's, one switches on what no other switches off; of clang's the last one counts.
    int off = options.lastIndexOf("-fno-fast-math");
    return IntStream.range(0, options.size())
        .filter(i -> i > off || !options.get(i).equals("-ffast-math"))
        .mapToObj(options::get)
        .flatMap(option -> translate(option).stream().flatMap(List::stream))
        .toList();
  }

  private static Optional<List<String>> translate(String option) {
    if (option.matches("-[DU].*")) {
      // To nvcc a comma begins another macro.
      return Optional.of(List.of(option.replace(",", "\\,")));
    }
    if (option.startsWith("-std=")) {
      String standard = option.substring(option.indexOf("++") + 2);
      return Optional.of(List.of("-std=c++" + DRAFTS.getOrDefault(standard, standard)));
    }
    if (option.matches("-O[0-3]?")) {
      String level = option.equals("-O") ? "1" : option.substring(2);
      return Optional.of(List.of("-O" + level, "-Xptxas=-O" + level));
    }
    if (option.equals("-Werror")) {
      return Optional.of(List.of("--Werror=all-warnings"));
    }
    if (option.equals("-w")) {
      // nvcc's own would silence the host's preprocessor too, and with it -Werror=date-time.
      return Optional.of(List.of("-Xcudafe=-w", "-Xptxas=-w"));
    }
    return option.matches("-(W|Rpass|pedantic).*")
        ? Optional.of(List.of())
        : Optional.ofNullable(FLOATING_POINT.get(option));
  }
}
