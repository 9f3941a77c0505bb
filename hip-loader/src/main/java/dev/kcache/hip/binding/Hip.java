// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/**
 * The HIP runtime's functions, one to one, with C's names and meanings; the links document them. On
 * NVIDIA's platform each is one function of the CUDA driver ({@link CudaNames}); {@link
 * PlatformCalls} has the others. Callers check the arguments.
 *
 * <p>Handles, device pointers, host pointers and {@code size_t} are {@code long}; unsigned numbers
 * carry their bits. A parameter through which C gives a result is an array of one element, but
 * where it must not allocate: there it is the address of native memory. Each {@code int} that is
 * returned is a {@code hipError_t}, and 801 ({@code hipErrorNotSupported}) where the library lacks
 * the function.
 *
 * <p>Signatures: <a
 * href="https://github.com/ROCm/HIP/blob/rocm-6.4.0/include/hip/hip_runtime_api.h">{@code
 * hip_runtime_api.h}</a>. Documentation: <a
 * href="https://rocm.docs.amd.com/projects/HIP/en/docs-6.4.0/reference/hip_runtime_api_reference.html">
 * HIP runtime API</a>, by groups as below.
 */
public interface Hip extends KernelLauncher {
  // Initialization and version:
  // https://rocm.docs.amd.com/projects/HIP/en/docs-6.4.0/reference/hip_runtime_api/modules/initialization_and_version.html

  int hipInit(int flags);

  int hipDeviceGet(int[] device, int ordinal);

  int hipDeviceGetName(byte[] name, int len, int device);

  int hipDeviceGetPCIBusId(byte[] pciBusId, int len, int device);

  int hipDeviceTotalMem(long[] bytes, int device);

  // Device management:
  // https://rocm.docs.amd.com/projects/HIP/en/docs-6.4.0/reference/hip_runtime_api/modules/device_management.html

  int hipGetDeviceCount(int[] count);

  /** {@code attr} is the platform's own number: see {@link DeviceAttribute}. */
  int hipDeviceGetAttribute(int[] pi, int attr, int deviceId);

  int hipDeviceSynchronize();

  // Peer to peer device memory access:
  // https://rocm.docs.amd.com/projects/HIP/en/docs-6.4.0/reference/hip_runtime_api/modules/peer_to_peer_device_memory_access.html

  int hipDeviceCanAccessPeer(int[] canAccessPeer, int deviceId, int peerDeviceId);

  // Memory management:
  // https://rocm.docs.amd.com/projects/HIP/en/docs-6.4.0/reference/hip_runtime_api/modules/memory_management.html

  int hipMalloc(long[] ptr, long size);

  int hipFree(long ptr);

  int hipHostMalloc(long[] ptr, long size, int flags);

  int hipHostFree(long ptr);

  int hipMemGetInfo(long[] free, long[] total);

  int hipMemcpyHtoD(long dst, long src, long sizeBytes);

  int hipMemcpyDtoH(long dst, long src, long sizeBytes);

  int hipMemcpyHtoDAsync(long dst, long src, long sizeBytes, long stream);

  int hipMemcpyDtoHAsync(long dst, long src, long sizeBytes, long stream);

  int hipMemcpyDtoDAsync(long dst, long src, long sizeBytes, long stream);

  /** C takes an {@code unsigned char}: {@code value} is 0 to 255. */
  int hipMemsetD8Async(long dest, int value, long count, long stream);

  int hipMemsetD32Async(long dest, int value, long count, long stream);

  // Stream ordered memory allocator:
  // https://rocm.docs.amd.com/projects/HIP/en/docs-6.4.0/reference/hip_runtime_api/modules/memory_management/stream_ordered_memory_allocator.html

  int hipMallocAsync(long[] devPtr, long size, long stream);

  int hipFreeAsync(long devPtr, long stream);

  // Stream management:
  // https://rocm.docs.amd.com/projects/HIP/en/docs-6.4.0/reference/hip_runtime_api/modules/stream_management.html

  int hipStreamCreateWithPriority(long[] stream, int flags, int priority);

  int hipStreamDestroy(long stream);

  int hipStreamQuery(long stream);

  int hipStreamSynchronize(long stream);

  int hipStreamWaitEvent(long stream, long event, int flags);

  // Event management:
  // https://rocm.docs.amd.com/projects/HIP/en/docs-6.4.0/reference/hip_runtime_api/modules/event_management.html

  int hipEventCreateWithFlags(long[] event, int flags);

  int hipEventDestroy(long event);

  int hipEventRecord(long event, long stream);

  int hipEventQuery(long event);

  int hipEventSynchronize(long event);

  int hipEventElapsedTime(float[] ms, long start, long stop);

  // Module management:
  // https://rocm.docs.amd.com/projects/HIP/en/docs-6.4.0/reference/hip_runtime_api/modules/module_management.html

  /** Reads as many bytes as the image itself claims: C does not know its size. */
  int hipModuleLoadData(long[] module, long image);

  /**
   * As the other, with the numbers of options ({@code hipJitOption}) and their values. AMD's
   * runtime looks at none.
   */
  int hipModuleLoadDataEx(
      long[] module, long image, int numOptions, int[] options, long[] optionValues);

  int hipModuleUnload(long module);

  int hipModuleGetFunction(long[] function, long module, byte[] kname);

  int hipModuleGetGlobal(long[] dptr, long[] bytes, long hmod, byte[] name);

  int hipFuncGetAttribute(int[] value, int attrib, long hfunc);

  /** For functions of modules on NVIDIA's platform only: AMD's takes a C++ function. */
  int hipFuncSetAttribute(long func, int attr, int value);

  // Occupancy:
  // https://rocm.docs.amd.com/projects/HIP/en/docs-6.4.0/reference/hip_runtime_api/modules/occupancy.html

  int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] numBlocks, long f, int blockSize, long dynSharedMemPerBlk);
}
