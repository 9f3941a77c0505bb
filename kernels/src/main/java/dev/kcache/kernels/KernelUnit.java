// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.cache.KernelSource;
import java.util.List;

/**
 * A unit of compilation of the catalogue: the kernels of a family for one type.
 *
 * @param family whose file it is
 * @param type what {@code KCACHE_TYPE} is in it, such as {@code f32}
 * @param source a file that defines the type and includes the family's
 * @param kernels the names of its kernels, all that a compile gives
 */
public record KernelUnit(Family family, String type, KernelSource source, List<String> kernels) {

  /**
   * Copies the list.
   *
   * @param family whose file it is
   * @param type what {@code KCACHE_TYPE} is in it, such as {@code f32}
   * @param source a file that defines the type and includes the family's
   * @param kernels the names of its kernels, all that a compile gives
   */
  public KernelUnit {
    kernels = List.copyOf(kernels);
  }

  /** {@return the name, such as {@code binary_f32}} */
  public String name() {
    return family + "_" + type;
  }

  /** {@return what its kernels compute: their names without family, type and layout} */
  public List<String> operations() {
    String rest = "_" + type;
    return kernels.stream()
        .map(kernel -> kernel.substring(0, kernel.lastIndexOf(rest)))
        .map(stem -> stem.startsWith(family + "_") ? stem.substring((family + "_").length()) : stem)
        .distinct()
        .toList();
  }
}
