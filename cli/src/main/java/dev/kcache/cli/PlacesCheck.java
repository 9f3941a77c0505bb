// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.rocm.RocmFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The checks of {@code kcache doctor} of the variables that say where the compiler and its files
 * are.
 *
 * @param names the variables
 * @param used the name of the compiler in use, if it is known
 */
record PlacesCheck(Map<String, String> environment, List<String> names, Optional<String> used) {
  private static final String NAME = "places";

  /** The variables that name a program, of which each is for some compilers only. */
  private static final Map<String, Set<String>> PROGRAMS =
      Map.of(
          "KCACHE_COMPILER", Set.of("hipcc", "amdclang"),
          "KCACHE_HIPCC", Set.of("hipcc", "amdclang"),
          "KCACHE_NVCC", Set.of("nvcc"));

  /** Of these, the checks of ROCm's places say what is missing. */
  private static final Set<String> ROOTS = Set.of("ROCM_PATH", "HIP_PATH");

  /**
   * Returns what the variables do.
   *
   * @param failed whether the compiler failed: that said what is missing
   */
  List<Check> checks(boolean failed) {
    List<String> effective = new ArrayList<>();
    List<Check> checks = new ArrayList<>();
    for (String name : names) {
      String value = environment.getOrDefault(name, "");
      if (!value.isEmpty()) {
        Optional<Check> fault = fault(name, value, failed);
        fault.ifPresent(checks::add);
        if (fault.isEmpty() && !isMissing(value)) {
          effective.add(name);
        }
      }
    }
    KcacheVariables.assignments(effective.stream(), environment)
        .map(set -> Check.ok(NAME, "the compiler and its files are looked for in " + set))
        .ifPresent(check -> checks.add(0, check));
    return checks;
  }

  private Optional<Check> fault(String name, String value, boolean failed) {
    String set = name + "='" + value + "'";
    if (used.isPresent() && PROGRAMS.containsKey(name)) {
      if (!PROGRAMS.get(name).contains(used.get())) {
        return Optional.of(
            Check.warn(
                NAME, set + " has no effect, since " + used.get() + " is used", "unset " + name));
      }
      String first = RocmFinder.VARIABLES.get(0);
      if (RocmFinder.VARIABLES.contains(name)
          && !name.equals(first)
          && KcacheVariables.isSet(first, environment)) {
        return Optional.of(
            Check.warn(
                NAME, set + " has no effect beside " + first, "unset " + name + ", its old name"));
      }
    }
    return failed || ROOTS.contains(name) || !isMissing(value)
        ? Optional.empty()
        : Optional.of(
            Check.warn(NAME, set + " does not exist", "correct " + name + " or unset it"));
  }

  /** A name alone, as nvcc takes for the host's compiler, is looked for in PATH. */
  private static boolean isMissing(String path) {
    return path.contains("/") && Files.notExists(Path.of(path));
  }
}
