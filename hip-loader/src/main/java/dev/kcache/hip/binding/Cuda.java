// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/**
 * The CUDA driver's functions that HIP lacks or declares with other types; one to one, under their
 * own names.
 *
 * <p>Types and statuses are as in {@link Hip}, but each {@code int} that is returned is a {@code
 * CUresult}. Documentation: <a
 * href="https://docs.nvidia.com/cuda/cuda-driver-api/modules.html">CUDA driver API</a>.
 */
interface Cuda {
  /** Gives the address of a C string; 0 for an error that it does not know. */
  int cuGetErrorName(int error, long[] text);

  /** Gives the address of a C string; 0 for an error that it does not know. */
  int cuGetErrorString(int error, long[] text);

  /** Since 11.4: for a part of a device (MIG), the UUID of the part. */
  int cuDeviceGetUuid_v2(byte[] uuid, int dev);

  int cuDevicePrimaryCtxRetain(long[] pctx, int dev);

  int cuCtxGetCurrent(long[] pctx);

  /** As the other, with the address of a C pointer. */
  int cuCtxGetCurrent(long pctx);

  int cuCtxSetCurrent(long ctx);

  int cuCtxEnablePeerAccess(long peerContext, int flags);

  int cuMemcpyPeerAsync(
      long dstDevice,
      long dstContext,
      long srcDevice,
      long srcContext,
      long byteCount,
      long stream);

  int cuOccupancyMaxPotentialBlockSize(
      int[] minGridSize,
      int[] blockSize,
      long function,
      long blockSizeToDynamicSharedMemSize,
      long dynamicSharedMemSize,
      int blockSizeLimit);
}
