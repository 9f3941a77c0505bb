// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import dev.kcache.codeobject.Platform;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The runtimes that kcache can launch with. */
public enum RuntimeKind {
  /** HIP's own runtime, {@code libamdhip64}. */
  HIP(Platform.AMD, 5),

  /** AMD's {@code libhsa-runtime64}, on which kcache builds what it needs of HIP. */
  HSA(Platform.AMD, 1),

  /** NVIDIA's driver for CUDA, {@code libcuda}. */
  CUDA(Platform.NVIDIA, 11);

  /** The variable that names the kind. */
  public static final String VARIABLE = "KCACHE_RUNTIME";

  private final Platform platform;
  private final int oldest;

  RuntimeKind(Platform platform, int oldest) {
    this.platform = platform;
    this.oldest = oldest;
  }

  /**
   * Returns the kind that the environment names, if it names one.
   *
   * @throws IllegalArgumentException if there is no such kind
   */
  public static Optional<RuntimeKind> chosen(Map<String, String> environment) {
    String name = environment.getOrDefault(VARIABLE, "");
    return name.isEmpty() ? Optional.empty() : Optional.of(named(name));
  }

  private static RuntimeKind named(String name) {
    return Stream.of(values())
        .filter(kind -> kind.toString().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s='%s' is none of hip, hsa, cuda; correct it or unset it"
                        .formatted(VARIABLE, name)));
  }

  /** Returns the platform that it is for. */
  public Platform platform() {
    return platform;
  }

  /**
   * Returns the first number of the oldest version that will do: the first HIP with today's numbers
   * of attributes, and the first CUDA with all functions that kcache needs. Of HSA, the functions
   * decide.
   */
  public int oldest() {
    return oldest;
  }

  /** Returns the name as variables and options have it, such as {@code hip}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
