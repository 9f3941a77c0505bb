// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.Occupancy;

/** What HIP tells of a kernel, from the metadata of its code object. */
final class FunctionTraits {
  private FunctionTraits() {}

  /** Returns an attribute by its number in {@code hipFunction_attribute}. */
  static int attribute(Code.Function function, int attribute) {
    KernelMetadata metadata = function.metadata();
    return switch (attribute) {
      case 0 -> metadata.maxThreadsPerBlock();
      case 1 -> metadata.sharedMemoryBytes();
      case 3 -> metadata.scratchBytes();
      case 4 -> metadata.registers().vgprs();
      case 6 -> function.code().device().traits().binaryVersion();
      case 8 -> DeviceTraits.SHARED_MEMORY - metadata.sharedMemoryBytes();
      case 2, 5, 7, 9 -> 0;
      default ->
          throw new StandInError(StandInError.INVALID_VALUE, "there is no attribute " + attribute);
    };
  }

  /** Returns how many blocks of a kernel a compute unit runs at once. */
  static int activeBlocks(Code.Function function, int threads, int sharedMemory) {
    KernelMetadata metadata = function.metadata();
    if (threads <= 0) {
      throw new StandInError(StandInError.INVALID_VALUE, "blocks have threads");
    }
    boolean fits =
        threads <= metadata.maxThreadsPerBlock()
            && metadata.sharedMemoryBytes() + sharedMemory <= DeviceTraits.SHARED_MEMORY;
    return fits
        ? Occupancy.blocksPerComputeUnit(
                function.code().device().traits().target().processor(),
                metadata,
                threads,
                sharedMemory)
            .orElse(1)
        : 0;
  }

  /** Writes the largest block that is allowed, and how many of it fill the device. */
  static void suggest(
      int[] grid, int[] block, Code.Function function, int sharedMemory, int limit) {
    int allowed = function.metadata().maxThreadsPerBlock();
    block[0] = limit > 0 ? Math.min(limit, allowed) : allowed;
    int blocks = activeBlocks(function, block[0], sharedMemory);
    if (blocks == 0) {
      throw new StandInError(StandInError.INVALID_VALUE, "no block of the kernel fits");
    }
    grid[0] = blocks * DeviceTraits.COMPUTE_UNITS;
  }
}
