// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.cache.KernelSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The kernels of a family, each compiled and loaded when it is first needed. Safe for use by any
 * number of threads.
 */
final class FunctionTable {
  private final KernelManager kernels;
  private final KernelCatalog catalog;
  private final List<String> stems;
  private final List<String> suffixes;
  private final List<Map<Enum<?>, LoadedKernel[]>> loaded;

  /**
   * Describes kernels whose names are a stem, the type and a suffix.
   *
   * @param stems such as {@code binary_add}
   * @param suffixes such as the empty one and {@code _strided}
   */
  FunctionTable(KernelManager kernels, Family family, List<String> stems, List<String> suffixes) {
    this.kernels = kernels;
    this.stems = stems;
    this.suffixes = suffixes;
    catalog = KernelCatalog.load(Set.of(family));
    loaded =
        stems.stream()
            .<Map<Enum<?>, LoadedKernel[]>>map(stem -> new ConcurrentHashMap<>())
            .toList();
  }

  /**
   * Returns the kernels of a stem and a type, one for each suffix. They are of one unit.
   *
   * @throws IllegalArgumentException if the catalogue has none for the type
   */
  LoadedKernel[] get(int stem, Enum<?> type) {
    LoadedKernel[] kernel = loaded.get(stem).get(type);
    if (kernel == null) {
      // Not in computeIfAbsent, where a compile would block others.
      kernel = load(stems.get(stem), type);
      loaded.get(stem).put(type, kernel);
    }
    return kernel;
  }

  private LoadedKernel[] load(String stem, Enum<?> type) {
    return suffixes.stream()
        .map(suffix -> stem + "_" + type + suffix)
        .map(name -> new LoadedKernel(kernels.kernel(source(name, stem, type), name)))
        .toArray(LoadedKernel[]::new);
  }

  private KernelSource source(String kernel, String stem, Enum<?> type) {
    return catalog
        .sourceOf(kernel)
        .orElseThrow(
            () ->
                new IllegalArgumentException("there is no kernel %s for %s".formatted(stem, type)));
  }
}
