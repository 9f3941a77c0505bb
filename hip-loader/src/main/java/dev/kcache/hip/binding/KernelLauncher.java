// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/**
 * {@code hipModuleLaunchKernel} of one library, the one function that programs call a million
 * times. Safe for use by any number of threads.
 */
@FunctionalInterface
public interface KernelLauncher {
  /** Calls it; returns the {@code hipError_t}. Parameters are those of {@link Hip}. */
  int launch(
      long f,
      int gridDimX,
      int gridDimY,
      int gridDimZ,
      int blockDimX,
      int blockDimY,
      int blockDimZ,
      int sharedMemBytes,
      long stream,
      long kernelParams,
      long extra);
}
