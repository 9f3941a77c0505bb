// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import dev.kcache.codeobject.Processor;
import java.util.Map;
import java.util.Set;

/**
 * Which version of AMD's code object format is made. By default 4, which every runtime since ROCm
 * 4.5 loads, and 6, since ROCm 6.3, for a generic processor, which no older one can say.
 *
 * @param wanted what is asked for, {@code 4} to {@code 6}; 0 if nothing is
 */
public record CodeObjectVersions(int wanted) {
  private static final String VARIABLE = "KCACHE_CODE_OBJECT_VERSION";
  private static final Set<String> KNOWN = Set.of("4", "5", "6");

  /**
   * Reads {@code KCACHE_CODE_OBJECT_VERSION}.
   *
   * @throws IllegalArgumentException if it holds something else
   */
  public static CodeObjectVersions in(Map<String, String> environment) {
    String value = environment.getOrDefault(VARIABLE, "");
    if (value.isEmpty()) {
      return new CodeObjectVersions(0);
    }
    if (!KNOWN.contains(value)) {
      throw new IllegalArgumentException(
          VARIABLE + "='" + value + "' is unknown; use 4, 5 or 6, or unset it");
    }
    return new CodeObjectVersions(Integer.parseInt(value));
  }

  /** Returns the version for a processor. */
  public int of(Processor processor) {
    if (processor.isGeneric()) {
      return 6;
    }
    return wanted == 0 ? 4 : wanted;
  }
}
