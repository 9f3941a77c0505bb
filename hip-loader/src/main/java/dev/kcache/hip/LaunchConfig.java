// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.util.Objects.requireNonNull;

/**
 * The threads that run a kernel: a grid of blocks.
 *
 * <pre>{@code
 * LaunchConfig line = LaunchConfig.covering(n, 256);
 * LaunchConfig tiles =
 *     LaunchConfig.of(new Dim3(columns / 16, rows / 16, 1), new Dim3(16, 16, 1))
 *         .withSharedMemory(2 * 16 * 16 * Float.BYTES);
 * }</pre>
 *
 * <p>Immutable.
 *
 * @param gridDims the grid dims, in blocks
 * @param blockDims the block dims, in threads
 * @param sharedMemoryBytes the dynamic shared memory (LDS) of each block, in bytes, beside what the
 *     kernel declares
 */
public record LaunchConfig(Dim3 gridDims, Dim3 blockDims, int sharedMemoryBytes) {

  /**
   * Checks that every dimension is positive and the shared memory not negative; what the device and
   * the kernel allow is checked at the launch.
   *
   * @param gridDims the grid dims, in blocks
   * @param blockDims the block dims, in threads
   * @param sharedMemoryBytes the dynamic shared memory (LDS) of each block, in bytes, beside what
   *     the kernel declares
   * @throws IllegalArgumentException if one is not
   */
  public LaunchConfig {
    requireNonNull(gridDims, "gridDims");
    requireNonNull(blockDims, "blockDims");
    requirePositive("grid", gridDims);
    requirePositive("block", blockDims);
    if (sharedMemoryBytes < 0) {
      throw new IllegalArgumentException(
          "shared memory must not be negative: " + sharedMemoryBytes + " bytes");
    }
  }

  private static void requirePositive(String what, Dim3 dims) {
    if (dims.x() < 1 || dims.y() < 1 || dims.z() < 1) {
      throw new IllegalArgumentException(what + " dims must be positive: " + dims);
    }
  }

  /**
   * {@return a one-dimensional configuration}
   *
   * @param blocks the blocks of the grid, at least 1
   * @param threadsPerBlock the threads of each block, at least 1
   */
  public static LaunchConfig of(int blocks, int threadsPerBlock) {
    return of(new Dim3(blocks, 1, 1), new Dim3(threadsPerBlock, 1, 1));
  }

  /**
   * {@return the least one-dimensional configuration that has a thread for each of {@code threads}
   * elements; the last block may have more threads than elements, so the kernel has to check} For
   * no elements it is one block, since a grid has at least that.
   *
   * @param threads how many elements there are, at least 0
   * @param threadsPerBlock the threads of each block, at least 1
   * @throws IllegalArgumentException if {@code threads} is negative, {@code threadsPerBlock} is not
   *     positive, or more than {@link Integer#MAX_VALUE} blocks would be needed
   */
  public static LaunchConfig covering(long threads, int threadsPerBlock) {
    if (threads < 0) {
      throw new IllegalArgumentException("threads must not be negative: " + threads);
    }
    requirePositive("block", new Dim3(threadsPerBlock, 1, 1));
    long blocks = threads / threadsPerBlock + (threads % threadsPerBlock == 0 ? 0 : 1);
    if (blocks > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "%d threads in blocks of %d take %d blocks, which are more than a grid can have"
              .formatted(threads, threadsPerBlock, blocks));
    }
    return of((int) Math.max(1, blocks), threadsPerBlock);
  }

  /**
   * {@return a configuration without dynamic shared memory}
   *
   * @param gridDims the blocks of the grid, along each axis
   * @param blockDims the threads of a block, along each axis
   */
  public static LaunchConfig of(Dim3 gridDims, Dim3 blockDims) {
    return new LaunchConfig(gridDims, blockDims, 0);
  }

  /**
   * {@return this with dynamic shared memory for each block, in bytes}
   *
   * @param bytes what the kernel declares {@code extern __shared__}, in bytes; at least 0
   */
  public LaunchConfig withSharedMemory(int bytes) {
    return new LaunchConfig(gridDims, blockDims, bytes);
  }
}
