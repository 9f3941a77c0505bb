// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/**
 * The functions of a CUDA driver library, linked by JNA's direct mapping; {@link HipLibrary} gives
 * each library a copy of this class.
 */
final class CudaDriver implements Cuda {
  @Override
  public native int cuInit(int flags);

  @Override
  public native int cuDriverGetVersion(int[] driverVersion);

  @Override
  public native int cuGetErrorName(int error, long[] text);

  @Override
  public native int cuGetErrorString(int error, long[] text);

  @Override
  public native int cuDeviceGetCount(int[] count);

  @Override
  public native int cuDeviceGet(int[] device, int ordinal);

  @Override
  public native int cuDeviceGetName(byte[] name, int len, int dev);

  @Override
  public native int cuDeviceGetUuid(byte[] uuid, int dev);

  @Override
  public native int cuDeviceGetUuid_v2(byte[] uuid, int dev);

  @Override
  public native int cuDeviceGetPCIBusId(byte[] pciBusId, int len, int dev);

  @Override
  public native int cuDeviceTotalMem_v2(long[] bytes, int dev);

  @Override
  public native int cuDeviceGetAttribute(int[] pi, int attrib, int dev);

  @Override
  public native int cuDevicePrimaryCtxRetain(long[] pctx, int dev);

  @Override
  public native int cuCtxGetCurrent(long[] pctx);

  @Override
  public native int cuCtxGetCurrent(long pctx);

  @Override
  public native int cuCtxSetCurrent(long ctx);

  @Override
  public native int cuCtxGetDevice(int[] device);

  @Override
  public native int cuCtxSynchronize();

  @Override
  public native int cuCtxGetStreamPriorityRange(int[] leastPriority, int[] greatestPriority);

  @Override
  public native int cuMemAlloc_v2(long[] dptr, long bytesize);

  @Override
  public native int cuMemFree_v2(long dptr);

  @Override
  public native int cuMemHostAlloc(long[] pp, long bytesize, int flags);

  @Override
  public native int cuMemFreeHost(long p);

  @Override
  public native int cuMemGetInfo_v2(long[] free, long[] total);

  @Override
  public native int cuMemcpyHtoD_v2(long dstDevice, long srcHost, long byteCount);

  @Override
  public native int cuMemcpyDtoH_v2(long dstHost, long srcDevice, long byteCount);

  @Override
  public native int cuMemcpyDtoD_v2(long dstDevice, long srcDevice, long byteCount);

  @Override
  public native int cuMemcpyHtoDAsync_v2(long dstDevice, long srcHost, long byteCount, long stream);

  @Override
  public native int cuMemcpyDtoHAsync_v2(long dstHost, long srcDevice, long byteCount, long stream);

  @Override
  public native int cuMemcpyDtoDAsync_v2(
      long dstDevice, long srcDevice, long byteCount, long stream);

  @Override
  public native int cuMemsetD8_v2(long dstDevice, int uc, long n);

  @Override
  public native int cuMemsetD8Async(long dstDevice, int uc, long n, long stream);

  @Override
  public native int cuMemsetD32_v2(long dstDevice, int ui, long n);

  @Override
  public native int cuMemsetD32Async(long dstDevice, int ui, long n, long stream);

  @Override
  public native int cuMemAllocAsync(long[] dptr, long bytesize, long stream);

  @Override
  public native int cuMemFreeAsync(long dptr, long stream);

  @Override
  public native int cuStreamCreate(long[] stream, int flags);

  @Override
  public native int cuStreamCreateWithPriority(long[] stream, int flags, int priority);

  @Override
  public native int cuStreamDestroy_v2(long stream);

  @Override
  public native int cuStreamQuery(long stream);

  @Override
  public native int cuStreamSynchronize(long stream);

  @Override
  public native int cuStreamWaitEvent(long stream, long event, int flags);

  @Override
  public native int cuEventCreate(long[] event, int flags);

  @Override
  public native int cuEventDestroy_v2(long event);

  @Override
  public native int cuEventRecord(long event, long stream);

  @Override
  public native int cuEventQuery(long event);

  @Override
  public native int cuEventSynchronize(long event);

  @Override
  public native int cuEventElapsedTime(float[] milliseconds, long start, long end);

  @Override
  public native int cuModuleLoadData(long[] module, long image);

  @Override
  public native int cuModuleLoadDataEx(
      long[] module, long image, int numOptions, long options, long optionValues);

  @Override
  public native int cuModuleUnload(long module);

  @Override
  public native int cuModuleGetFunction(long[] function, long module, byte[] name);

  @Override
  public native int cuModuleGetGlobal_v2(long[] dptr, long[] bytes, long module, byte[] name);

  @Override
  public native int cuFuncGetAttribute(int[] pi, int attrib, long function);

  @Override
  public native int cuFuncSetAttribute(long function, int attrib, int value);

  @Override
  public native int cuLaunchKernel(
      long function,
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

  @Override
  public native int cuOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] numBlocks, long function, int blockSize, long dynamicSharedMemSize);

  @Override
  public native int cuOccupancyMaxPotentialBlockSize(
      int[] minGridSize,
      int[] blockSize,
      long function,
      long blockSizeToDynamicSharedMemSize,
      long dynamicSharedMemSize,
      int blockSizeLimit);
}
