// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import org.jspecify.annotations.Nullable;

/**
 * The functions of HIP without a single counterpart in CUDA's driver: AMD's runtime has them, and
 * {@link CudaCalls} composes them for NVIDIA. Otherwise as {@link Hip}.
 */
public interface PlatformCalls {
  int hipDriverGetVersion(int[] driverVersion);

  int hipRuntimeGetVersion(int[] runtimeVersion);

  int hipDeviceGetUuid(byte[] uuid, int device);

  /** The layout of ROCm 6 and newer. */
  int hipGetDevicePropertiesR0600(byte[] prop, int deviceId);

  /** The layout of ROCm 5 and older, also available in newer libraries. */
  int hipGetDeviceProperties(byte[] prop, int deviceId);

  /** Lets the current device use the memory of another; 704 if it may already. */
  int hipDeviceEnablePeerAccess(int peerDeviceId, int flags);

  int hipMemcpyPeerAsync(
      long dst, int dstDeviceId, long src, int srcDevice, long sizeBytes, long stream);

  @Nullable String hipGetErrorName(int hipError);

  @Nullable String hipGetErrorString(int hipError);

  int hipGetLastError();

  int hipModuleOccupancyMaxPotentialBlockSize(
      int[] gridSize, int[] blockSize, long f, long dynSharedMemPerBlk, int blockSizeLimit);
}
