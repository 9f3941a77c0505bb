// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The kernels of an operation: some for each type, which are compiled and loaded when the type is
 * first needed. Safe for use by any number of threads.
 */
final class FunctionTable {
  private final KernelManager kernels;
  private final Family family;
  private final String stem;
  private final List<String> suffixes;
  private final Map<Enum<?>, LoadedKernel[]> loaded = new ConcurrentHashMap<>();

  /**
   * Describes kernels whose names are a stem, the type and perhaps a suffix.
   *
   * @param stem such as {@code binary_add}
   * @param suffixes of all kernels but the first, which has none; such as {@code _strided}
   */
  FunctionTable(KernelManager kernels, Family family, String stem, String... suffixes) {
    this.kernels = kernels;
    this.family = family;
    this.stem = stem;
    this.suffixes = Stream.concat(Stream.of(""), Stream.of(suffixes)).toList();
  }

  /**
   * Returns the first kernel of a type.
   *
   * @throws IllegalArgumentException if the family has none for the type
   */
  LoadedKernel get(Enum<?> type) {
    return all(type)[0];
  }

  /**
   * Returns the kernels of a type, the one without a suffix first. They are of one unit.
   *
   * @throws IllegalArgumentException if the family has none for the type
   */
  LoadedKernel[] all(Enum<?> type) {
    LoadedKernel[] known = loaded.get(type);
    if (known == null) {
      // Not in computeIfAbsent, where a compile would block others.
      known = load(stem + "_" + type);
      loaded.put(type, known);
    }
    return known;
  }

  private LoadedKernel[] load(String name) {
    KernelUnit unit = family.unitOf(name);
    return suffixes.stream()
        .map(suffix -> new LoadedKernel(kernels.kernel(unit.source(), name + suffix)))
        .toArray(LoadedKernel[]::new);
  }
}
