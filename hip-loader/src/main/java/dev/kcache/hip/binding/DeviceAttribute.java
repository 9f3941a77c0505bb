// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import dev.kcache.codeobject.Platform;

/**
 * The attributes of a device that kcache reads, with the names and numbers of {@code
 * hipDeviceAttribute_t}, which are the same from ROCm 5 to 7, and the numbers of CUDA's {@code
 * CUdevice_attribute} in {@code cuda.h}.
 */
public enum DeviceAttribute {
  CLOCK_RATE(5, 13),
  INTEGRATED(16, 18),
  L2_CACHE_SIZE(19, 38),
  COMPUTE_CAPABILITY_MAJOR(23, 75),
  MAX_BLOCK_DIM_X(26, 2),
  MAX_BLOCK_DIM_Y(27, 3),
  MAX_BLOCK_DIM_Z(28, 4),
  MAX_GRID_DIM_X(29, 5),
  MAX_GRID_DIM_Y(30, 6),
  MAX_GRID_DIM_Z(31, 7),
  MAX_THREADS_PER_BLOCK(56, 1),
  MAX_THREADS_PER_MULTIPROCESSOR(57, 39),
  COMPUTE_CAPABILITY_MINOR(61, 76),
  MULTIPROCESSOR_COUNT(63, 16),
  MAX_REGISTERS_PER_BLOCK(71, 12),
  MAX_SHARED_MEMORY_PER_BLOCK(74, 8),
  SHARED_MEMORY_PER_BLOCK_OPTIN(75, 97),
  WARP_SIZE(87, 10),
  MEMORY_POOLS_SUPPORTED(88, 115);

  private final int hip;
  private final int cuda;

  DeviceAttribute(int hip, int cuda) {
    this.hip = hip;
    this.cuda = cuda;
  }

  /** Returns the number of the attribute in a platform's library. */
  public int number(Platform platform) {
    return platform == Platform.AMD ? hip : cuda;
  }
}
