// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import org.jspecify.annotations.Nullable;

/**
 * The functions of HIP that CUDA's driver has no single counterpart for: AMD's runtime has them as
 * they are, for NVIDIA {@link CudaCalls} makes them of others. All else is as in {@link Hip}.
 */
public interface PlatformCalls {
  int hipDriverGetVersion(int[] driverVersion);

  int hipRuntimeGetVersion(int[] runtimeVersion);

  int hipDeviceGetUuid(byte[] uuid, int device);

  /** The layout of ROCm 6 and newer. */
  int hipGetDevicePropertiesR0600(byte[] prop, int deviceId);

  /** The layout of ROCm 5 and older, in newer libraries as well. */
  int hipGetDeviceProperties(byte[] prop, int deviceId);

  @Nullable String hipGetErrorName(int hipError);

  @Nullable String hipGetErrorString(int hipError);

  int hipGetLastError();

  int hipModuleOccupancyMaxPotentialBlockSize(
      int[] gridSize, int[] blockSize, long f, long dynSharedMemPerBlk, int blockSizeLimit);
}
