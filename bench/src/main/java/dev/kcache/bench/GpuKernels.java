// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import dev.kcache.cache.KernelSource;

/** Kernels that do nothing. */
final class GpuKernels {
  /** Without a parameter. */
  static final String EMPTY = "empty";

  /** With three pointers and an int. */
  static final String EMPTY_OF_FOUR = "empty4";

  private GpuKernels() {}

  /** Returns their source. */
  static KernelSource emptySource() {
    return KernelSource.resource(GpuKernels.class, "empty.hip");
  }
}
