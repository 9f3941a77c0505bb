// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which function of the CUDA driver serves for a function of HIP.
 *
 * <p>Source: <a
 * href="https://github.com/ROCm/hipother/blob/rocm-6.4.0/hipnv/include/hip/nvidia_detail/nvidia_hip_runtime_api.h">{@code
 * nvidia_hip_runtime_api.h}</a>; where that calls CUDA's runtime library, which is another one, the
 * driver's own function of the same meaning.
 */
final class CudaNames {
  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("hipInit", "cuInit"),
          Map.entry("hipDriverGetVersion", "cuDriverGetVersion"),
          Map.entry("hipRuntimeGetVersion", "cuDriverGetVersion"),
          Map.entry("hipDeviceGet", "cuDeviceGet"),
          Map.entry("hipDeviceGetName", "cuDeviceGetName"),
          Map.entry("hipDeviceGetUuid", "cuDeviceGetUuid"),
          Map.entry("hipDeviceGetPCIBusId", "cuDeviceGetPCIBusId"),
          Map.entry("hipDeviceTotalMem", "cuDeviceTotalMem_v2"),
          Map.entry("hipGetDeviceCount", "cuDeviceGetCount"),
          Map.entry("hipGetDevice", "cuCtxGetCurrent"),
          Map.entry("hipSetDevice", "cuCtxSetCurrent"),
          Map.entry("hipDeviceGetAttribute", "cuDeviceGetAttribute"),
          Map.entry("hipDeviceSynchronize", "cuCtxSynchronize"),
          Map.entry("hipDeviceGetStreamPriorityRange", "cuCtxGetStreamPriorityRange"),
          Map.entry("hipGetErrorName", "cuGetErrorName"),
          Map.entry("hipGetErrorString", "cuGetErrorString"),
          Map.entry("hipMalloc", "cuMemAlloc_v2"),
          Map.entry("hipFree", "cuMemFree_v2"),
          Map.entry("hipHostMalloc", "cuMemHostAlloc"),
          Map.entry("hipHostFree", "cuMemFreeHost"),
          Map.entry("hipMemGetInfo", "cuMemGetInfo_v2"),
          Map.entry("hipMemcpyHtoD", "cuMemcpyHtoD_v2"),
          Map.entry("hipMemcpyDtoH", "cuMemcpyDtoH_v2"),
          Map.entry("hipMemcpyDtoD", "cuMemcpyDtoD_v2"),
          Map.entry("hipMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2"),
          Map.entry("hipMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2"),
          Map.entry("hipMemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2"),
          Map.entry("hipMemsetD8", "cuMemsetD8_v2"),
          Map.entry("hipMemsetD8Async", "cuMemsetD8Async"),
          Map.entry("hipMemsetD32", "cuMemsetD32_v2"),
          Map.entry("hipMemsetD32Async", "cuMemsetD32Async"),
          Map.entry("hipMallocAsync", "cuMemAllocAsync"),
          Map.entry("hipFreeAsync", "cuMemFreeAsync"),
          Map.entry("hipStreamCreateWithFlags", "cuStreamCreate"),
          Map.entry("hipStreamCreateWithPriority", "cuStreamCreateWithPriority"),
          Map.entry("hipStreamDestroy", "cuStreamDestroy_v2"),
          Map.entry("hipStreamQuery", "cuStreamQuery"),
          Map.entry("hipStreamSynchronize", "cuStreamSynchronize"),
          Map.entry("hipStreamWaitEvent", "cuStreamWaitEvent"),
          Map.entry("hipEventCreateWithFlags", "cuEventCreate"),
          Map.entry("hipEventDestroy", "cuEventDestroy_v2"),
          Map.entry("hipEventRecord", "cuEventRecord"),
          Map.entry("hipEventQuery", "cuEventQuery"),
          Map.entry("hipEventSynchronize", "cuEventSynchronize"),
          Map.entry("hipEventElapsedTime", "cuEventElapsedTime"),
          Map.entry("hipModuleLoadData", "cuModuleLoadData"),
          Map.entry("hipModuleLoadDataEx", "cuModuleLoadDataEx"),
          Map.entry("hipModuleUnload", "cuModuleUnload"),
          Map.entry("hipModuleGetFunction", "cuModuleGetFunction"),
          Map.entry("hipModuleGetGlobal", "cuModuleGetGlobal_v2"),
          Map.entry("hipFuncGetAttribute", "cuFuncGetAttribute"),
          Map.entry("hipFuncSetAttribute", "cuFuncSetAttribute"),
          Map.entry("hipModuleLaunchKernel", "cuLaunchKernel"),
          Map.entry(
              "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",
              "cuOccupancyMaxActiveBlocksPerMultiprocessor"),
          Map.entry("hipModuleOccupancyMaxPotentialBlockSize", "cuOccupancyMaxPotentialBlockSize"));

  private CudaNames() {}

  /** Returns the driver's function; null if none serves. */
  static @Nullable String of(String hip) {
    return NAMES.get(hip);
  }
}
