// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/**
 * The numbers that CUDA gives the attributes of a device which are asked for here.
 *
 * <p>Source: {@code CUdevice_attribute} in {@code cuda.h}, the names without {@code
 * CU_DEVICE_ATTRIBUTE_}; HIP's are {@code hipDeviceAttribute_t}, the same from ROCm 5 to 7.
 */
final class CudaAttributes {
  static final int NONE = 0;

  private CudaAttributes() {}

  /** Returns CUDA's number of an attribute of HIP; {@link #NONE} of one that is not used here. */
  static int of(int hip) {
    return switch (hip) {
      case 5 -> 13; // CLOCK_RATE
      case 16 -> 18; // INTEGRATED
      case 19 -> 38; // L2_CACHE_SIZE
      case 23 -> 75; // COMPUTE_CAPABILITY_MAJOR
      case 26 -> 2; // MAX_BLOCK_DIM_X
      case 27 -> 3; // MAX_BLOCK_DIM_Y
      case 28 -> 4; // MAX_BLOCK_DIM_Z
      case 29 -> 5; // MAX_GRID_DIM_X
      case 30 -> 6; // MAX_GRID_DIM_Y
      case 31 -> 7; // MAX_GRID_DIM_Z
      case 56 -> 1; // MAX_THREADS_PER_BLOCK
      case 57 -> 39; // MAX_THREADS_PER_MULTIPROCESSOR
      case 61 -> 76; // COMPUTE_CAPABILITY_MINOR
      case 63 -> 16; // MULTIPROCESSOR_COUNT
      case 71 -> 12; // MAX_REGISTERS_PER_BLOCK
      case 74 -> 8; // MAX_SHARED_MEMORY_PER_BLOCK
      case 75 -> 97; // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
      case 87 -> 10; // WARP_SIZE
      case 88 -> 115; // MEMORY_POOLS_SUPPORTED
      default -> NONE;
    };
  }
}
