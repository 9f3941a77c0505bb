// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import dev.kcache.codeobject.Platform;
import java.util.Locale;

/** The runtimes that kcache can launch with. */
public enum RuntimeKind {
  /** HIP's own runtime, {@code libamdhip64}. */
  HIP(Platform.AMD, 5),

  /** NVIDIA's driver for CUDA, {@code libcuda}. */
  CUDA(Platform.NVIDIA, 11);

  private final Platform platform;
  private final int oldest;

  RuntimeKind(Platform platform, int oldest) {
    this.platform = platform;
    this.oldest = oldest;
  }

  /** Returns the platform that it is for. */
  public Platform platform() {
    return platform;
  }

  /**
   * Returns the first number of the oldest version that will do: the first HIP with today's numbers
   * of attributes, and the first CUDA with all functions that kcache needs.
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
