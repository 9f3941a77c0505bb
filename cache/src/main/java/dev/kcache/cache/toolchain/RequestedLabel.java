// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import dev.kcache.cache.ToolchainLabel;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A label that the user set: {@code KCACHE_ROCM_VERSION}, else {@code ROCM_VERSION}.
 *
 * @param variable the name of the variable
 * @param value its value
 * @param label the label of that value
 */
public record RequestedLabel(String variable, String value, ToolchainLabel label) {
  private static final List<String> VARIABLES = List.of("KCACHE_ROCM_VERSION", "ROCM_VERSION");

  /**
   * Returns the label that the environment asks for, if it does.
   *
   * @throws IllegalArgumentException if the variable holds no version
   */
  public static Optional<RequestedLabel> in(Map<String, String> environment) {
    Variables variables = new Variables(environment);
    return VARIABLES.stream()
        .flatMap(name -> variables.get(name).map(value -> parse(name, value)).stream())
        .findFirst();
  }

  /**
   * Checks that a compiler is the one that was asked for.
   *
   * @throws IllegalArgumentException if it has another label
   */
  void check(String hipcc, HipVersion version) {
    if (!version.label().equals(label)) {
      throw new IllegalArgumentException(
          variable
              + "="
              + value
              + " contradicts "
              + hipcc
              + ", which is HIP "
              + version.version()
              + "; unset the variable or set KCACHE_HIPCC to the hipcc of that version");
    }
  }

  private static RequestedLabel parse(String name, String value) {
    try {
      return new RequestedLabel(name, value, ToolchainLabel.ofVersion(value));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(name + "=" + value + ": " + e.getMessage(), e);
    }
  }
}
