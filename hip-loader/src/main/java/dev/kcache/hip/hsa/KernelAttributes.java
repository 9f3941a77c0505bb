// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import static dev.kcache.hip.binding.DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK;
import static dev.kcache.hip.binding.DeviceAttribute.MULTIPROCESSOR_COUNT;

import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.Occupancy;
import dev.kcache.codeobject.TargetId;

/** What HIP tells of kernels, from the metadata of their code object. */
final class KernelAttributes {
  private KernelAttributes() {}

  /** Returns an attribute by its number in {@code hipFunction_attribute}. */
  static int get(Kernel kernel, int attribute) {
    KernelMetadata metadata = kernel.metadata();
    return switch (attribute) {
      case 0 -> metadata.maxThreadsPerBlock();
      case 1 -> metadata.sharedMemoryBytes();
      case 3 -> metadata.scratchBytes();
      case 4 -> metadata.registers().vgprs();
      case 6 -> binaryVersion(kernel);
      case 8 -> sharedMemory(kernel) - metadata.sharedMemoryBytes();
      case 2, 5, 7, 9 -> 0; // constant memory, PTX, caches
      default ->
          throw new HsaFailure(HsaFailure.INVALID_VALUE, "there is no attribute " + attribute);
    };
  }

  private static int sharedMemory(Kernel kernel) {
    return kernel.agent().properties().attribute(MAX_SHARED_MEMORY_PER_BLOCK);
  }

  /** Of {@code gfx90a} it is 90, of {@code gfx1100} 110. */
  private static int binaryVersion(Kernel kernel) {
    String processor = kernel.agent().properties().target().split(":", 2)[0];
    return Integer.parseInt(processor.substring(3, processor.length() - 1));
  }

  /** Returns how many blocks of a kernel a compute unit runs at once. */
  static int activeBlocks(Kernel kernel, int threads, int sharedMemory) {
    KernelMetadata metadata = kernel.metadata();
    if (threads <= 0) {
      throw new HsaFailure(HsaFailure.INVALID_VALUE, "blocks have threads");
    }
    boolean fits =
        threads <= metadata.maxThreadsPerBlock()
            && metadata.sharedMemoryBytes() + sharedMemory <= sharedMemory(kernel);
    TargetId target = TargetId.parse(kernel.agent().properties().target());
    return fits
        ? Occupancy.blocksPerComputeUnit(target.processor(), metadata, threads, sharedMemory)
            .orElseThrow(
                () ->
                    new HsaFailure(
                        HsaFailure.NOT_SUPPORTED,
                        "the occupancy of kernels on " + target.processor() + " is not known"))
        : 0;
  }

  /**
   * Writes the block size by which most threads of a kernel run at once, the largest of several,
   * and how many blocks of it fill the device.
   *
   * @param limit the largest block size wanted, 0 for any
   */
  static void suggest(int[] grid, int[] block, Kernel kernel, int sharedMemory, int limit) {
    int wavefront = kernel.metadata().wavefrontSize();
    int allowed = kernel.metadata().maxThreadsPerBlock();
    int largest = limit > 0 ? Math.min(limit, allowed) : allowed;
    int best = 0;
    int threads = largest < wavefront ? largest : largest - largest % wavefront;
    for (int each = threads; each > 0; each -= wavefront) {
      int blocks = activeBlocks(kernel, each, sharedMemory);
      if (blocks * each > best) {
        best = blocks * each;
        block[0] = each;
        grid[0] = blocks * kernel.agent().properties().attribute(MULTIPROCESSOR_COUNT);
      }
    }
    if (best == 0) {
      throw new HsaFailure(HsaFailure.INVALID_VALUE, "no block of the kernel fits");
    }
  }
}
