// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/**
 * The CUDA driver's own functions, one to one, under the names that the library has them by: those
 * with the version that {@code cuda.h} gives them. Every one without a note is in the drivers of
 * CUDA 11.0 and later.
 *
 * <p>Handles, device pointers, host pointers and {@code size_t} are {@code long}; unsigned numbers
 * carry their bits. A parameter through which C gives a result is an array of one element, but
 * where it must not allocate: there it is the address of native memory. Each {@code int} that is
 * returned is a {@code CUresult}, and 801 ({@code CUDA_ERROR_NOT_SUPPORTED}) where the library
 * lacks the function.
 *
 * <p>Documentation: <a href="https://docs.nvidia.com/cuda/cuda-driver-api/modules.html">CUDA driver
 * API</a>, by groups as below.
 */
interface Cuda {
  // Initialization, version and error handling:
  // https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__INITIALIZE.html,
  // group__CUDA__VERSION.html and group__CUDA__ERROR.html

  int cuInit(int flags);

  int cuDriverGetVersion(int[] driverVersion);

  /** Gives the address of a C string; 0 for an error that it does not know. */
  int cuGetErrorName(int error, long[] text);

  /** Gives the address of a C string; 0 for an error that it does not know. */
  int cuGetErrorString(int error, long[] text);

  // Device management:
  // https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html

  int cuDeviceGetCount(int[] count);

  int cuDeviceGet(int[] device, int ordinal);

  int cuDeviceGetName(byte[] name, int len, int dev);

  int cuDeviceGetUuid(byte[] uuid, int dev);

  /** Since 11.4: of a part of a device (MIG) the part's own. */
  int cuDeviceGetUuid_v2(byte[] uuid, int dev);

  int cuDeviceGetPCIBusId(byte[] pciBusId, int len, int dev);

  int cuDeviceTotalMem_v2(long[] bytes, int dev);

  int cuDeviceGetAttribute(int[] pi, int attrib, int dev);

  // Context management:
  // https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html and
  // group__CUDA__CTX.html

  int cuDevicePrimaryCtxRetain(long[] pctx, int dev);

  int cuCtxGetCurrent(long[] pctx);

  /** As the other, with the address of a C pointer. */
  int cuCtxGetCurrent(long pctx);

  int cuCtxSetCurrent(long ctx);

  int cuCtxGetDevice(int[] device);

  int cuCtxSynchronize();

  int cuCtxGetStreamPriorityRange(int[] leastPriority, int[] greatestPriority);

  // Memory management:
  // https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html

  int cuMemAlloc_v2(long[] dptr, long bytesize);

  int cuMemFree_v2(long dptr);

  int cuMemHostAlloc(long[] pp, long bytesize, int flags);

  int cuMemFreeHost(long p);

  int cuMemGetInfo_v2(long[] free, long[] total);

  int cuMemcpyHtoD_v2(long dstDevice, long srcHost, long byteCount);

  int cuMemcpyDtoH_v2(long dstHost, long srcDevice, long byteCount);

  int cuMemcpyDtoD_v2(long dstDevice, long srcDevice, long byteCount);

  int cuMemcpyHtoDAsync_v2(long dstDevice, long srcHost, long byteCount, long stream);

  int cuMemcpyDtoHAsync_v2(long dstHost, long srcDevice, long byteCount, long stream);

  int cuMemcpyDtoDAsync_v2(long dstDevice, long srcDevice, long byteCount, long stream);

  /** C takes an {@code unsigned char}: {@code uc} is 0 to 255. */
  int cuMemsetD8_v2(long dstDevice, int uc, long n);

  /** C takes an {@code unsigned char}: {@code uc} is 0 to 255. */
  int cuMemsetD8Async(long dstDevice, int uc, long n, long stream);

  int cuMemsetD32_v2(long dstDevice, int ui, long n);

  int cuMemsetD32Async(long dstDevice, int ui, long n, long stream);

  // Stream ordered memory allocator:
  // https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html

  /** Since 11.2. */
  int cuMemAllocAsync(long[] dptr, long bytesize, long stream);

  /** Since 11.2. */
  int cuMemFreeAsync(long dptr, long stream);

  // Stream management:
  // https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html

  int cuStreamCreate(long[] stream, int flags);

  int cuStreamCreateWithPriority(long[] stream, int flags, int priority);

  int cuStreamDestroy_v2(long stream);

  int cuStreamQuery(long stream);

  int cuStreamSynchronize(long stream);

  int cuStreamWaitEvent(long stream, long event, int flags);

  // Event management:
  // https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html

  int cuEventCreate(long[] event, int flags);

  int cuEventDestroy_v2(long event);

  int cuEventRecord(long event, long stream);

  int cuEventQuery(long event);

  int cuEventSynchronize(long event);

  int cuEventElapsedTime(float[] milliseconds, long start, long end);

  // Module management:
  // https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html

  int cuModuleLoadData(long[] module, long image);

  int cuModuleLoadDataEx(
      long[] module, long image, int numOptions, long options, long optionValues);

  int cuModuleUnload(long module);

  int cuModuleGetFunction(long[] function, long module, byte[] name);

  int cuModuleGetGlobal_v2(long[] dptr, long[] bytes, long module, byte[] name);

  // Execution control and occupancy:
  // https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html and
  // group__CUDA__OCCUPANCY.html

  int cuFuncGetAttribute(int[] pi, int attrib, long function);

  int cuFuncSetAttribute(long function, int attrib, int value);

  int cuLaunchKernel(
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

  int cuOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] numBlocks, long function, int blockSize, long dynamicSharedMemSize);

  int cuOccupancyMaxPotentialBlockSize(
      int[] minGridSize,
      int[] blockSize,
      long function,
      long blockSizeToDynamicSharedMemSize,
      long dynamicSharedMemSize,
      int blockSizeLimit);
}
