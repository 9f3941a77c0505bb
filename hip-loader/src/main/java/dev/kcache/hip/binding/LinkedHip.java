// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import org.jspecify.annotations.Nullable;

/**
 * The functions of a library, linked by JNA's direct mapping: HIP's under their own names in AMD's
 * runtime, under those of {@link CudaNames} in a CUDA driver. Functions that the library lacks
 * return "not supported".
 *
 * <p>JNA links the native methods of a class to one library, for all its instances; {@link
 * LinkedLibrary} therefore gives each library a copy of this class.
 */
final class LinkedHip implements Hip, PlatformCalls, CurrentOrdinal.Calls, Cuda {
  @Override
  public native int hipInit(int flags);

  @Override
  public native int hipDriverGetVersion(int[] driverVersion);

  @Override
  public native int hipRuntimeGetVersion(int[] runtimeVersion);

  @Override
  public native int hipDeviceGet(int[] device, int ordinal);

  @Override
  public native int hipDeviceGetName(byte[] name, int len, int device);

  @Override
  public native int hipDeviceGetUuid(byte[] uuid, int device);

  @Override
  public native int hipDeviceGetPCIBusId(byte[] pciBusId, int len, int device);

  @Override
  public native int hipDeviceTotalMem(long[] bytes, int device);

  @Override
  public native int hipGetDeviceCount(int[] count);

  @Override
  public native int hipGetDevice(long[] deviceId);

  @Override
  public native int hipGetDevice(long deviceId);

  @Override
  public native int hipSetDevice(int deviceId);

  @Override
  public native int hipDeviceGetAttribute(int[] pi, int attr, int deviceId);

  @Override
  public native int hipGetDevicePropertiesR0600(byte[] prop, int deviceId);

  @Override
  public native int hipGetDeviceProperties(byte[] prop, int deviceId);

  @Override
  public native int hipDeviceSynchronize();

  @Override
  public native int hipDeviceCanAccessPeer(int[] canAccessPeer, int deviceId, int peerDeviceId);

  @Override
  public native int hipDeviceEnablePeerAccess(int peerDeviceId, int flags);

  @Override
  public native int hipMemcpyPeerAsync(
      long dst, int dstDeviceId, long src, int srcDevice, long sizeBytes, long stream);

  @Override
  public native @Nullable String hipGetErrorName(int hipError);

  @Override
  public native @Nullable String hipGetErrorString(int hipError);

  @Override
  public native int hipGetLastError();

  @Override
  public native int hipMalloc(long[] ptr, long size);

  @Override
  public native int hipFree(long ptr);

  @Override
  public native int hipHostMalloc(long[] ptr, long size, int flags);

  @Override
  public native int hipHostFree(long ptr);

  @Override
  public native int hipMemGetInfo(long[] free, long[] total);

  @Override
  public native int hipMemcpyHtoD(long dst, long src, long sizeBytes);

  @Override
  public native int hipMemcpyDtoH(long dst, long src, long sizeBytes);

  @Override
  public native int hipMemcpyHtoDAsync(long dst, long src, long sizeBytes, long stream);

  @Override
  public native int hipMemcpyDtoHAsync(long dst, long src, long sizeBytes, long stream);

  @Override
  public native int hipMemcpyDtoDAsync(long dst, long src, long sizeBytes, long stream);

  @Override
  public native int hipMemsetD8Async(long dest, int value, long count, long stream);

  @Override
  public native int hipMemsetD32Async(long dest, int value, long count, long stream);

  @Override
  public native int hipMallocAsync(long[] devPtr, long size, long stream);

  @Override
  public native int hipFreeAsync(long devPtr, long stream);

  @Override
  public native int hipStreamCreateWithPriority(long[] stream, int flags, int priority);

  @Override
  public native int hipStreamDestroy(long stream);

  @Override
  public native int hipStreamQuery(long stream);

  @Override
  public native int hipStreamSynchronize(long stream);

  @Override
  public native int hipStreamWaitEvent(long stream, long event, int flags);

  @Override
  public native int hipEventCreateWithFlags(long[] event, int flags);

  @Override
  public native int hipEventDestroy(long event);

  @Override
  public native int hipEventRecord(long event, long stream);

  @Override
  public native int hipEventQuery(long event);

  @Override
  public native int hipEventSynchronize(long event);

  @Override
  public native int hipEventElapsedTime(float[] ms, long start, long stop);

  @Override
  public native int hipModuleLoadData(long[] module, long image);

  @Override
  public native int hipModuleLoadDataEx(
      long[] module, long image, int numOptions, int[] options, long[] optionValues);

  @Override
  public native int hipModuleUnload(long module);

  @Override
  public native int hipModuleGetFunction(long[] function, long module, byte[] kname);

  @Override
  public native int hipModuleGetGlobal(long[] dptr, long[] bytes, long hmod, byte[] name);

  @Override
  public native int hipFuncGetAttribute(int[] value, int attrib, long hfunc);

  @Override
  public native int hipFuncSetAttribute(long func, int attr, int value);

  @Override
  public native int hipModuleLaunchKernel(
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

  @Override
  public native int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] numBlocks, long f, int blockSize, long dynSharedMemPerBlk);

  @Override
  public native int hipModuleOccupancyMaxPotentialBlockSize(
      int[] gridSize, int[] blockSize, long f, long dynSharedMemPerBlk, int blockSizeLimit);

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
  public native int cuCtxEnablePeerAccess(long peerContext, int flags);

  @Override
  public native int cuMemcpyPeerAsync(
      long dstDevice,
      long dstContext,
      long srcDevice,
      long srcContext,
      long byteCount,
      long stream);

  @Override
  public native int cuOccupancyMaxPotentialBlockSize(
      int[] minGridSize,
      int[] blockSize,
      long function,
      long blockSizeToDynamicSharedMemSize,
      long dynamicSharedMemSize,
      int blockSizeLimit);
}
