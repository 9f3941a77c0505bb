// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import com.sun.jna.Pointer;
import org.jspecify.annotations.Nullable;

/**
 * HIP's functions over a CUDA driver, as HIP's own headers define them for NVIDIA's platform: one
 * function of the driver each, but where a comment says otherwise. Handles, flags and the numbers
 * of errors are the same on both sides.
 *
 * <p>Source: {@link CudaNames}.
 */
final class CudaHip implements Hip {
  private static final int SUCCESS = 0;
  private static final int INVALID_VALUE = 1;
  private static final int INVALID_CONTEXT = 201;

  private final Cuda cuda;
  private final PrimaryContexts contexts;

  CudaHip(Cuda cuda, PrimaryContexts contexts) {
    this.cuda = cuda;
    this.contexts = contexts;
  }

  @Override
  public int hipInit(int flags) {
    return cuda.cuInit(flags);
  }

  /** CUDA writes its version as {@code 1000 * major + 10 * minor}. */
  @Override
  public int hipDriverGetVersion(int[] driverVersion) {
    int status = cuda.cuDriverGetVersion(driverVersion);
    int version = driverVersion[0];
    driverVersion[0] = version / 1000 * 10_000_000 + version % 1000 / 10 * 100_000;
    return status;
  }

  /** The driver is all of the runtime that there is. */
  @Override
  public int hipRuntimeGetVersion(int[] runtimeVersion) {
    return hipDriverGetVersion(runtimeVersion);
  }

  @Override
  public int hipDeviceGet(int[] device, int ordinal) {
    return cuda.cuDeviceGet(device, ordinal);
  }

  @Override
  public int hipDeviceGetName(byte[] name, int len, int device) {
    return cuda.cuDeviceGetName(name, len, device);
  }

  /** The newer function is the one that tells the parts of a device apart. */
  @Override
  public int hipDeviceGetUuid(byte[] uuid, int device) {
    int status = cuda.cuDeviceGetUuid_v2(uuid, device);
    return status == HipLibrary.NOT_SUPPORTED ? cuda.cuDeviceGetUuid(uuid, device) : status;
  }

  @Override
  public int hipDeviceGetPCIBusId(byte[] pciBusId, int len, int device) {
    return cuda.cuDeviceGetPCIBusId(pciBusId, len, device);
  }

  @Override
  public int hipDeviceTotalMem(long[] bytes, int device) {
    return cuda.cuDeviceTotalMem_v2(bytes, device);
  }

  @Override
  public int hipGetDeviceCount(int[] count) {
    return cuda.cuDeviceGetCount(count);
  }

  /** A thread without a context is on the first device, as in CUDA's own runtime. */
  @Override
  public int hipGetDevice(int[] deviceId) {
    int status = cuda.cuCtxGetDevice(deviceId);
    if (status == INVALID_CONTEXT) {
      deviceId[0] = 0;
      return SUCCESS;
    }
    return status;
  }

  @Override
  public int hipGetDevice(long deviceId) {
    int[] device = new int[1];
    int status = hipGetDevice(device);
    new Pointer(deviceId).setInt(0, device[0]);
    return status;
  }

  @Override
  public int hipSetDevice(int deviceId) {
    long[] context = new long[1];
    int status = contexts.of(deviceId, context);
    return status == SUCCESS ? cuda.cuCtxSetCurrent(context[0]) : status;
  }

  @Override
  public int hipDeviceGetAttribute(int[] pi, int attr, int deviceId) {
    int attribute = CudaAttributes.of(attr);
    return attribute == CudaAttributes.NONE
        ? INVALID_VALUE
        : cuda.cuDeviceGetAttribute(pi, attribute, deviceId);
  }

  /** There is no such structure here: the properties are asked for one by one. */
  @Override
  public int hipGetDevicePropertiesR0600(byte[] prop, int deviceId) {
    return HipLibrary.NOT_SUPPORTED;
  }

  /** There is no such structure here: the properties are asked for one by one. */
  @Override
  public int hipGetDeviceProperties(byte[] prop, int deviceId) {
    return HipLibrary.NOT_SUPPORTED;
  }

  @Override
  public int hipDeviceSynchronize() {
    return cuda.cuCtxSynchronize();
  }

  @Override
  public int hipDeviceGetStreamPriorityRange(int[] leastPriority, int[] greatestPriority) {
    return cuda.cuCtxGetStreamPriorityRange(leastPriority, greatestPriority);
  }

  /** An error that HIP has no name for is called by CUDA's. */
  @Override
  public @Nullable String hipGetErrorName(int hipError) {
    String name = CudaErrors.name(hipError);
    return name != null ? name : text(hipError, cuda::cuGetErrorName);
  }

  @Override
  public @Nullable String hipGetErrorString(int hipError) {
    return text(hipError, cuda::cuGetErrorString);
  }

  private interface ErrorText {
    int of(int error, long[] text);
  }

  private static @Nullable String text(int error, ErrorText function) {
    long[] text = new long[1];
    int status = function.of(error, text);
    return status == SUCCESS && text[0] != 0 ? new Pointer(text[0]).getString(0) : null;
  }

  /** The driver keeps no last error for a thread. */
  @Override
  public int hipGetLastError() {
    return SUCCESS;
  }

  @Override
  public int hipMalloc(long[] ptr, long size) {
    return cuda.cuMemAlloc_v2(ptr, size);
  }

  @Override
  public int hipFree(long ptr) {
    return cuda.cuMemFree_v2(ptr);
  }

  @Override
  public int hipHostMalloc(long[] ptr, long size, int flags) {
    return cuda.cuMemHostAlloc(ptr, size, flags);
  }

  @Override
  public int hipHostFree(long ptr) {
    return cuda.cuMemFreeHost(ptr);
  }

  @Override
  public int hipMemGetInfo(long[] free, long[] total) {
    return cuda.cuMemGetInfo_v2(free, total);
  }

  @Override
  public int hipMemcpyHtoD(long dst, long src, long sizeBytes) {
    return cuda.cuMemcpyHtoD_v2(dst, src, sizeBytes);
  }

  @Override
  public int hipMemcpyDtoH(long dst, long src, long sizeBytes) {
    return cuda.cuMemcpyDtoH_v2(dst, src, sizeBytes);
  }

  @Override
  public int hipMemcpyDtoD(long dst, long src, long sizeBytes) {
    return cuda.cuMemcpyDtoD_v2(dst, src, sizeBytes);
  }

  @Override
  public int hipMemcpyHtoDAsync(long dst, long src, long sizeBytes, long stream) {
    return cuda.cuMemcpyHtoDAsync_v2(dst, src, sizeBytes, stream);
  }

  @Override
  public int hipMemcpyDtoHAsync(long dst, long src, long sizeBytes, long stream) {
    return cuda.cuMemcpyDtoHAsync_v2(dst, src, sizeBytes, stream);
  }

  @Override
  public int hipMemcpyDtoDAsync(long dst, long src, long sizeBytes, long stream) {
    return cuda.cuMemcpyDtoDAsync_v2(dst, src, sizeBytes, stream);
  }

  @Override
  public int hipMemsetD8(long dest, int value, long count) {
    return cuda.cuMemsetD8_v2(dest, value, count);
  }

  @Override
  public int hipMemsetD8Async(long dest, int value, long count, long stream) {
    return cuda.cuMemsetD8Async(dest, value, count, stream);
  }

  @Override
  public int hipMemsetD32(long dest, int value, long count) {
    return cuda.cuMemsetD32_v2(dest, value, count);
  }

  @Override
  public int hipMemsetD32Async(long dest, int value, long count, long stream) {
    return cuda.cuMemsetD32Async(dest, value, count, stream);
  }

  @Override
  public int hipMallocAsync(long[] devPtr, long size, long stream) {
    return cuda.cuMemAllocAsync(devPtr, size, stream);
  }

  @Override
  public int hipFreeAsync(long devPtr, long stream) {
    return cuda.cuMemFreeAsync(devPtr, stream);
  }

  @Override
  public int hipStreamCreateWithFlags(long[] stream, int flags) {
    return cuda.cuStreamCreate(stream, flags);
  }

  @Override
  public int hipStreamCreateWithPriority(long[] stream, int flags, int priority) {
    return cuda.cuStreamCreateWithPriority(stream, flags, priority);
  }

  @Override
  public int hipStreamDestroy(long stream) {
    return cuda.cuStreamDestroy_v2(stream);
  }

  @Override
  public int hipStreamQuery(long stream) {
    return cuda.cuStreamQuery(stream);
  }

  @Override
  public int hipStreamSynchronize(long stream) {
    return cuda.cuStreamSynchronize(stream);
  }

  @Override
  public int hipStreamWaitEvent(long stream, long event, int flags) {
    return cuda.cuStreamWaitEvent(stream, event, flags);
  }

  @Override
  public int hipEventCreateWithFlags(long[] event, int flags) {
    return cuda.cuEventCreate(event, flags);
  }

  @Override
  public int hipEventDestroy(long event) {
    return cuda.cuEventDestroy_v2(event);
  }

  @Override
  public int hipEventRecord(long event, long stream) {
    return cuda.cuEventRecord(event, stream);
  }

  @Override
  public int hipEventQuery(long event) {
    return cuda.cuEventQuery(event);
  }

  @Override
  public int hipEventSynchronize(long event) {
    return cuda.cuEventSynchronize(event);
  }

  @Override
  public int hipEventElapsedTime(float[] ms, long start, long stop) {
    return cuda.cuEventElapsedTime(ms, start, stop);
  }

  @Override
  public int hipModuleLoadData(long[] module, long image) {
    return cuda.cuModuleLoadData(module, image);
  }

  @Override
  public int hipModuleLoadDataEx(
      long[] module, long image, int numOptions, long options, long optionValues) {
    return cuda.cuModuleLoadDataEx(module, image, numOptions, options, optionValues);
  }

  @Override
  public int hipModuleUnload(long module) {
    return cuda.cuModuleUnload(module);
  }

  @Override
  public int hipModuleGetFunction(long[] function, long module, byte[] kname) {
    return cuda.cuModuleGetFunction(function, module, kname);
  }

  @Override
  public int hipModuleGetGlobal(long[] dptr, long[] bytes, long hmod, byte[] name) {
    return cuda.cuModuleGetGlobal_v2(dptr, bytes, hmod, name);
  }

  @Override
  public int hipFuncGetAttribute(int[] value, int attrib, long hfunc) {
    return cuda.cuFuncGetAttribute(value, attrib, hfunc);
  }

  @Override
  public int hipFuncSetAttribute(long func, int attr, int value) {
    return cuda.cuFuncSetAttribute(func, attr, value);
  }

  @Override
  public int hipModuleLaunchKernel(
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
      long extra) {
    return cuda.cuLaunchKernel(
        f,
        gridDimX,
        gridDimY,
        gridDimZ,
        blockDimX,
        blockDimY,
        blockDimZ,
        sharedMemBytes,
        stream,
        kernelParams,
        extra);
  }

  @Override
  public int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] numBlocks, long f, int blockSize, long dynSharedMemPerBlk) {
    return cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks, f, blockSize, dynSharedMemPerBlk);
  }

  /** CUDA asks a function of the caller's for the shared memory too, if it is given one. */
  @Override
  public int hipModuleOccupancyMaxPotentialBlockSize(
      int[] gridSize, int[] blockSize, long f, long dynSharedMemPerBlk, int blockSizeLimit) {
    return cuda.cuOccupancyMaxPotentialBlockSize(
        gridSize, blockSize, f, 0, dynSharedMemPerBlk, blockSizeLimit);
  }
}
