// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/** The functions of a CUDA driver library, linked as {@link LinkedHip} is. */
final class CudaDriver implements Cuda {
  @Override
  public native int cuGetErrorName(int error, long[] text);

  @Override
  public native int cuGetErrorString(int error, long[] text);

  @Override
  public native int cuDeviceGetUuid_v2(byte[] uuid, int dev);

  @Override
  public native int cuDevicePrimaryCtxRetain(long[] pctx, int dev);

  @Override
  public native int cuCtxGetCurrent(long[] pctx);

  @Override
  public native int cuCtxGetCurrent(long pctx);

  @Override
  public native int cuCtxSetCurrent(long ctx);

  @Override
  public native int cuOccupancyMaxPotentialBlockSize(
      int[] minGridSize,
      int[] blockSize,
      long function,
      long blockSizeToDynamicSharedMemSize,
      long dynamicSharedMemSize,
      int blockSizeLimit);
}
