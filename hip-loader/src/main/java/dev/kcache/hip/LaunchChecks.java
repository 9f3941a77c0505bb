// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.BlockDims;
import dev.kcache.hip.DeviceProperties.LaunchLimits;

/**
 * What is wrong with a launch, found before the runtime is asked for it: the runtime answers some
 * of it with an error that does not say what, and some, such as a block that is larger than the
 * kernel was compiled for, only with a context that is lost.
 */
final class LaunchChecks {
  /**
   * A dispatch packet has the grid's size in threads, in 32 bits for each dimension: {@code
   * grid_size_x} of {@code hsa_kernel_dispatch_packet_t} in <a
   * href="https://github.com/ROCm/ROCR-Runtime/blob/rocm-6.4.0/runtime/hsa-runtime/inc/hsa.h">{@code
   * hsa.h}</a>.
   */
  private static final long MOST_GRID_THREADS = 0xffff_ffffL;

  private LaunchChecks() {}

  /**
   * Checks that a stream is of the device that a function is loaded on.
   *
   * @throws IllegalArgumentException if it is not; the message names both
   */
  static void checkStream(HipFunction function, HipStream stream) {
    HipDevice device = function.device();
    if (!stream.device().equals(device)) {
      throw new IllegalArgumentException(
          "%s is loaded on device %d, but the stream is of device %d"
              .formatted(function.name(), device.ordinal(), stream.device().ordinal()));
    }
  }

  /**
   * Checks a configuration.
   *
   * @param staticSharedMemory what a block of the kernel has beside what a launch adds, in bytes
   * @throws IllegalArgumentException if the device or the kernel does not allow it; the message
   *     names the limit
   */
  static void checkConfig(
      KernelMetadata kernel, int staticSharedMemory, LaunchLimits limits, LaunchConfig config) {
    requireEach(kernel, "block dims", config.blockDims(), "maxBlockDims", limits.maxBlockDims());
    requireEach(kernel, "grid dims", config.gridDims(), "maxGridDims", limits.maxGridDims());
    checkBlock(
        kernel, staticSharedMemory, limits, config.blockDims().count(), config.sharedMemoryBytes());
    kernel
        .requiredBlockDims()
        .ifPresent(required -> requireSame(kernel, config.blockDims(), required));
  }

  /**
   * Checks what one block needs.
   *
   * @param staticSharedMemory what a block of the kernel has beside what a launch adds, in bytes
   * @throws IllegalArgumentException if the device or the kernel does not allow it; the message
   *     names the limit
   */
  static void checkBlock(
      KernelMetadata kernel,
      int staticSharedMemory,
      LaunchLimits limits,
      long threads,
      int dynamicSharedMemory) {
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

  private static void requireEach(
      KernelMetadata kernel, String what, Dim3 dims, String limit, Dim3 most) {
    if (dims.x() > most.x() || dims.y() > most.y() || dims.z() > most.z()) {
      throw new IllegalArgumentException(
          "%s: %s %s are more than the device's %s (%s)"
              .formatted(kernel.name(), what, dims, most, limit));
    }
  }

  private static void requireSame(KernelMetadata kernel, Dim3 blockDims, BlockDims required) {
    Dim3 only = new Dim3(required.x(), required.y(), required.z());
    if (!blockDims.equals(only)) {
      throw new IllegalArgumentException(
          "%s was compiled for blocks of %s (reqd_workgroup_size), not %s"
              .formatted(kernel.name(), only, blockDims));
    }
  }

  /**
   * Checks what a configuration comes to in threads, which only AMD's devices count.
   *
   * @throws IllegalArgumentException if they are too many; the message says how many there may be
   */
  static void checkGridThreads(KernelMetadata kernel, LaunchConfig config) {
    Dim3 grid = config.gridDims();
    Dim3 block = config.blockDims();
    if ((long) grid.x() * block.x() > MOST_GRID_THREADS
        || (long) grid.y() * block.y() > MOST_GRID_THREADS
        || (long) grid.z() * block.z() > MOST_GRID_THREADS) {
      throw new IllegalArgumentException(
          "%s: a grid of %s blocks of %s threads has more than %d threads along one dimension"
              .formatted(kernel.name(), grid, block, MOST_GRID_THREADS));
    }
  }
}
