// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import java.util.Map;

/**
 * The CUDA driver's names of HIP's functions: {@code cu} instead of {@code hip}, except for those
 * listed here. A function without a counterpart gets a name that the driver lacks.
 *
 * <p>Source: <a
 * href="https://github.com/ROCm/hipother/blob/rocm-6.4.0/hipnv/include/hip/nvidia_detail/nvidia_hip_runtime_api.h">{@code
 * nvidia_hip_runtime_api.h}</a>; where that calls CUDA's runtime library, which is another one, the
 * driver's own function of the same meaning.
 */
final class CudaNames {
  private static final String PREFIX = "hip";

  private static final Map<String, String> OTHERS =
      Map.ofEntries(
          Map.entry("hipRuntimeGetVersion", "cuDriverGetVersion"),
          Map.entry("hipDeviceTotalMem", "cuDeviceTotalMem_v2"),
          Map.entry("hipGetDeviceCount", "cuDeviceGetCount"),
          Map.entry("hipGetDevice", "cuCtxGetCurrent"),
          Map.entry("hipSetDevice", "cuCtxSetCurrent"),
          Map.entry("hipDeviceSynchronize", "cuCtxSynchronize"),
          Map.entry("hipMalloc", "cuMemAlloc_v2"),
          Map.entry("hipFree", "cuMemFree_v2"),
          Map.entry("hipHostMalloc", "cuMemHostAlloc"),
          Map.entry("hipHostFree", "cuMemFreeHost"),
          Map.entry("hipMemGetInfo", "cuMemGetInfo_v2"),
          Map.entry("hipMemcpyHtoD", "cuMemcpyHtoD_v2"),
          Map.entry("hipMemcpyDtoH", "cuMemcpyDtoH_v2"),
          Map.entry("hipMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2"),
          Map.entry("hipMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2"),
          Map.entry("hipMemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2"),
          Map.entry("hipMallocAsync", "cuMemAllocAsync"),
          Map.entry("hipFreeAsync", "cuMemFreeAsync"),
          Map.entry("hipStreamDestroy", "cuStreamDestroy_v2"),
          Map.entry("hipEventCreateWithFlags", "cuEventCreate"),
          Map.entry("hipEventDestroy", "cuEventDestroy_v2"),
          Map.entry("hipModuleGetGlobal", "cuModuleGetGlobal_v2"),
          Map.entry("hipModuleLaunchKernel", "cuLaunchKernel"),
          Map.entry(
              "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",
              "cuOccupancyMaxActiveBlocksPerMultiprocessor"),
          Map.entry("hipModuleOccupancyMaxPotentialBlockSize", "cuOccupancyMaxPotentialBlockSize"));

  private CudaNames() {}

  /** Returns the driver's name of a function of HIP; any other name as it is. */
  static String of(String function) {
    return function.startsWith(PREFIX)
        ? OTHERS.getOrDefault(function, "cu" + function.substring(PREFIX.length()))
        : function;
  }
}
