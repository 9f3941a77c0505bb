// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import dev.kcache.hip.Dim3;

/**
 * Which thread of a launch a {@link StandInKernel.PerThread} runs as. Only valid during that run.
 */
public final class KernelThread {
  private final Dim3 block;
  private int blockX;
  private int blockY;
  private int blockZ;
  private int threadX;
  private int threadY;
  private int threadZ;

  KernelThread(Dim3 block) {
    this.block = block;
  }

  void enterBlock(int x, int y, int z) {
    blockX = x;
    blockY = y;
    blockZ = z;
  }

  /**
   * Goes to the next thread of the block; returns whether there is one, else is the first again.
   */
  boolean next() {
    if (++threadX < block.x()) {
      return true;
    }
    threadX = 0;
    if (++threadY < block.y()) {
      return true;
    }
    threadY = 0;
    if (++threadZ < block.z()) {
      return true;
    }
    threadZ = 0;
    return false;
  }

  /** {@return the thread's place in the grid, {@code blockIdx.x * blockDim.x + threadIdx.x}} */
  public long x() {
    return (long) blockX * block.x() + threadX;
  }

  /** {@return the thread's place in the grid, {@code blockIdx.y * blockDim.y + threadIdx.y}} */
  public long y() {
    return (long) blockY * block.y() + threadY;
  }

  /** {@return the thread's place in the grid, {@code blockIdx.z * blockDim.z + threadIdx.z}} */
  public long z() {
    return (long) blockZ * block.z() + threadZ;
  }

  /** {@return the place of the thread's block in the grid, {@code blockIdx}} */
  public Dim3 blockIndex() {
    return new Dim3(blockX, blockY, blockZ);
  }

  /** {@return the thread's place in its block, {@code threadIdx}} */
  public Dim3 threadIndex() {
    return new Dim3(threadX, threadY, threadZ);
  }
}
