// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A label that the user set: for AMD by {@code KCACHE_ROCM_VERSION}, else {@code ROCM_VERSION}; for
 * NVIDIA by {@code KCACHE_CUDA_VERSION}, else {@code CUDA_VERSION}, which NVIDIA's images have.
 *
 * @param variable the name of the variable
 * @param value its value
 * @param label the label of that value
 */
public record RequestedLabel(String variable, String value, ToolchainLabel label) {
  /**
   * {@return the label that the environment sets for a platform, if any}
   *
   * @param environment the variables by name
   * @param platform whose compiler the label is of
   * @throws IllegalArgumentException if the variable is no version
   */
  public static Optional<RequestedLabel> in(Map<String, String> environment, Platform platform) {
    requireNonNull(environment, "environment");
    requireNonNull(platform, "platform");
    Environment variables = new Environment(environment);
    for (String name : variables(platform)) {
      Optional<String> value = variables.get(name);
      if (value.isPresent()) {
        return Optional.of(parse(platform, name, value.get()));
      }
    }
    return Optional.empty();
  }

  private static List<String> variables(Platform platform) {
    return platform == Platform.AMD
        ? List.of("KCACHE_ROCM_VERSION", "ROCM_VERSION")
        : List.of("KCACHE_CUDA_VERSION", "CUDA_VERSION");
  }

  private static RequestedLabel parse(Platform platform, String name, String value) {
    try {
      return new RequestedLabel(name, value, ToolchainLabel.ofVersion(platform, value));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(name + "=" + value + ": " + e.getMessage(), e);
    }
  }
}
