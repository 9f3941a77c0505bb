// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.BlockDims;
import dev.kcache.codeobject.Platform;
import dev.kcache.hip.DeviceProperties.LaunchLimits;

/**
 * Checks a launch before the runtime sees it. The runtime answers some mistakes with an error that
 * does not name them, and some, such as a block larger than the kernel was compiled for, by losing
 * the context.
 *
 * @param staticSharedMemory shared memory of a block without what a launch adds, in bytes
 * @param limits the device's
 */
record LaunchChecks(
    KernelMetadata kernel, int staticSharedMemory, LaunchLimits limits, Platform platform) {
  /**
   * AMD's dispatch packet has the grid's size in threads, in 32 bits for each dimension: {@code
   * grid_size_x} of {@code hsa_kernel_dispatch_packet_t} in <a
   * href="https://github.com/ROCm/ROCR-Runtime/blob/rocm-6.4.0/runtime/hsa-runtime/inc/hsa.h">{@code
   * hsa.h}</a>.
   */
  private static final long MOST_GRID_THREADS = 0xffff_ffffL;

  /**
   * Checks a configuration.
   *
   * @throws IllegalArgumentException if the device or the kernel does not allow it; the message
   *     names the limit
   */
  void check(LaunchConfig config) {
    requireEach("block dims", config.blockDims(), "maxBlockDims", limits.maxBlockDims());
    requireEach("grid dims", config.gridDims(), "maxGridDims", limits.maxGridDims());
    checkBlock(config.blockDims().count(), config.sharedMemoryBytes());
    if (kernel.requiredBlockDims().isPresent()) {
      requireSame(config.blockDims(), kernel.requiredBlockDims().get());
    }
    if (platform == Platform.AMD) {
      checkGridThreads(config.gridDims(), config.blockDims());
    }
  }

  /**
   * Checks the needs of one block.
   *
   * @throws IllegalArgumentException if the device or the kernel does not allow it; the message
   *     names the limit
   */
  void checkBlock(long threads, int dynamicSharedMemory) {
    if (threads > limits.maxThreadsPerBlock()) {
      throw new IllegalArgumentException(
          "%s: %d threads per block are more than the device's %d (maxThreadsPerBlock)"
              .formatted(kernel.name(), threads, limits.maxThreadsPerBlock()));
    }
    if (threads > kernel.maxThreadsPerBlock()) {
      throw new IllegalArgumentException(
          "%s was compiled for at most %d threads per block (max_flat_workgroup_size), not %d; launch smaller blocks or compile it with __launch_bounds__(%d)"
              .formatted(kernel.name(), kernel.maxThreadsPerBlock(), threads, threads));
    }
    long sharedMemory = (long) staticSharedMemory + dynamicSharedMemory;
    if (sharedMemory > limits.sharedMemoryBytes()) {
      throw new IllegalArgumentException(
          "%s would take %d bytes of shared memory per block (%d static, %d dynamic), the device has %d (sharedMemoryBytes)"
              .formatted(
                  kernel.name(),
                  sharedMemory,
                  staticSharedMemory,
                  dynamicSharedMemory,
                  limits.sharedMemoryBytes()));
    }
  }

  private void requireEach(String what, Dim3 dims, String limit, Dim3 most) {
    if (dims.x() > most.x() || dims.y() > most.y() || dims.z() > most.z()) {
      throw new IllegalArgumentException(
          "%s: %s %s are more than the device's %s (%s)"
              .formatted(kernel.name(), what, dims, most, limit));
    }
  }

  private void requireSame(Dim3 blockDims, BlockDims required) {
    if (blockDims.x() != required.x()
        || blockDims.y() != required.y()
        || blockDims.z() != required.z()) {
      throw new IllegalArgumentException(
          "%s was compiled for blocks of %dx%dx%d (reqd_workgroup_size), not %s"
              .formatted(kernel.name(), required.x(), required.y(), required.z(), blockDims));
    }
  }

  private void checkGridThreads(Dim3 grid, Dim3 block) {
    if ((long) grid.x() * block.x() > MOST_GRID_THREADS
        || (long) grid.y() * block.y() > MOST_GRID_THREADS
        || (long) grid.z() * block.z() > MOST_GRID_THREADS) {
      throw new IllegalArgumentException(
          "%s: a grid of %s blocks of %s threads has more than %d threads along one dimension"
              .formatted(kernel.name(), grid, block, MOST_GRID_THREADS));
    }
  }
}
