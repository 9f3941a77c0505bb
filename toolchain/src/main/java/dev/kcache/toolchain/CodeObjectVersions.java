// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Processor;
import java.util.Map;
import java.util.Set;

/**
 * The version of AMD's code object format to compile to. The default is 4, which every runtime
 * since ROCm 4.5 loads. Generic processors need 6, which ROCm knows since 6.3.
 *
 * @param wanted the requested version, {@code 4} to {@code 6}; 0 if none is set
 */
public record CodeObjectVersions(int wanted) {
  private static final String VARIABLE = "KCACHE_CODE_OBJECT_VERSION";
  private static final Set<String> KNOWN = Set.of("4", "5", "6");

  /**
   * Reads {@code KCACHE_CODE_OBJECT_VERSION}.
   *
   * @param environment the variables by name
   * @return the versions that the variable asks for; the defaults if it is unset or empty
   * @throws IllegalArgumentException if it has another value
   */
  public static CodeObjectVersions in(Map<String, String> environment) {
    requireNonNull(environment, "environment");
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

  /**
   * {@return the version for a processor}
   *
   * @param processor one of AMD's
   */
  public int of(Processor processor) {
    requireNonNull(processor, "processor");
    if (processor.isGeneric()) {
      return 6;
    }
    return wanted == 0 ? 4 : wanted;
  }
}
