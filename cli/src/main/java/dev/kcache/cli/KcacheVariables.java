// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The environment variables that are kcache's own, to find one that is misspelt. */
final class KcacheVariables {
  static final SortedSet<String> KNOWN =
      new TreeSet<>(
          List.of(
              "KCACHE_ARCH",
              "KCACHE_CODE_OBJECT_VERSION",
              "KCACHE_COMPILER",
              "KCACHE_CUDA_VERSION",
              "KCACHE_DIR",
              "KCACHE_DISABLE",
              "KCACHE_HIPCC",
              "KCACHE_HIP_LEAKS",
              "KCACHE_HIP_LIBRARY",
              "KCACHE_JAVA_OPTS",
              "KCACHE_LOG",
              "KCACHE_MAVEN_ARGS",
              "KCACHE_MAX_AGE",
              "KCACHE_MAX_SIZE",
              "KCACHE_NVCC",
              "KCACHE_PATH",
              "KCACHE_POLICY",
              "KCACHE_ROCM_VERSION",
              "KCACHE_SHARED",
              "KCACHE_TOOLCHAIN"));

  private static final String PREFIX = "KCACHE_";

  /** How many letters may be wrong, missing or too many for a name to be meant. */
  private static final int TYPOS = 2;

  private KcacheVariables() {}

  /** Returns a warning for each variable that looks like kcache's and is none. */
  static List<Check> check(Map<String, String> environment) {
    return environment.keySet().stream()
        .filter(name -> name.startsWith(PREFIX) && !KNOWN.contains(name))
        .sorted()
        .map(name -> Check.warn("variable", name + " is unknown and has no effect", fix(name)))
        .toList();
  }

  /** Returns {@code NAME='value'} of each variable, joined; empty if there are no names. */
  static Optional<String> assignments(Stream<String> names, Map<String, String> environment) {
    return names
        .map(name -> name + "='" + environment.get(name) + "'")
        .reduce((one, other) -> one + ", " + other);
  }

  /** Returns whether a variable is set; an empty one is not. */
  static boolean isSet(String name, Map<String, String> environment) {
    return !environment.getOrDefault(name, "").isEmpty();
  }

  private static String fix(String unknown) {
    return KNOWN.stream()
        .min(Comparator.comparingInt(known -> distance(unknown, known)))
        .filter(known -> distance(unknown, known) <= TYPOS)
        .map(known -> "did you mean " + known + "?")
        .orElse("unset it; kcache knows " + String.join(", ", KNOWN));
  }

  /** Returns how many letters have to be put in, taken out or replaced (Levenshtein). */
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int column = 0; column < row.length; column++) {
      row[column] = column;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[other.length()];
  }
}
