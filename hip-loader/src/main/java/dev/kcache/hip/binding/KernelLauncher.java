// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/**
 * The function of {@link Hip} that programs call millions of times. Safe for use by any number of
 * threads.
 */
@FunctionalInterface
public interface KernelLauncher {
  int hipModuleLaunchKernel(
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
