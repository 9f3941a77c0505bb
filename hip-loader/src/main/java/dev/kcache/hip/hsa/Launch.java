// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.nio.ByteBuffer;

/**
 * The launch that is written now. A queue has one object for all of its launches, so that they
 * allocate nothing. For use by one thread at a time.
 */
final class Launch {
  /** What {@code extra} of {@code hipModuleLaunchKernel} is made of, beside two pointers. */
  private static final long BUFFER_POINTER = 1;

  private static final long BUFFER_SIZE = 2;
  private static final long END = 3;

  private static final long MOST_THREADS = 0xffff_ffffL;

  private final NativePointer pointer = new NativePointer();
  private byte[] copied = new byte[256];

  /** In blocks. */
  int gridX;

  int gridY;
  int gridZ;
  int blockX;
  int blockY;
  int blockZ;

  /** The dynamic shared memory of a block in bytes. */
  int sharedMemory;

  void set(int gridX, int gridY, int gridZ, int blockX, int blockY, int blockZ, int sharedMemory) {
    check(gridX, blockX);
    check(gridY, blockY);
    check(gridZ, blockZ);
    this.gridX = gridX;
    this.gridY = gridY;
    this.gridZ = gridZ;
    this.blockX = blockX;
    this.blockY = blockY;
    this.blockZ = blockZ;
    this.sharedMemory = sharedMemory;
  }

  /** A packet has 16 bits for a block and 32 for the threads of a grid. */
  private static void check(int grid, int block) {
    boolean fits = grid > 0 && block > 0 && block <= 0xffff && (long) grid * block <= MOST_THREADS;
    if (!fits) {
      throw new HsaFailure(
          HsaFailure.INVALID_CONFIGURATION,
          "a packet has no room for %d blocks of %d threads along one dimension"
              .formatted(grid, block));
    }
  }

  /**
   * Copies the explicit arguments.
   *
   * @param extra the address of a list of five words; not looked at for no bytes
   */
  void copyArguments(long extra, int bytes, ByteBuffer to, int offset) {
    if (bytes == 0) {
      return;
    }
    if (extra == 0) {
      throw new HsaFailure(HsaFailure.INVALID_VALUE, "the kernel takes arguments");
    }
    pointer.move(extra);
    boolean known =
        pointer.getLong(0) == BUFFER_POINTER
            && pointer.getLong(16) == BUFFER_SIZE
            && pointer.getLong(32) == END;
    long block = pointer.getLong(8);
    pointer.move(pointer.getLong(24));
    if (!known || pointer.getLong(0) < bytes) {
      throw new HsaFailure(
          HsaFailure.INVALID_VALUE, "the kernel takes %d bytes of arguments".formatted(bytes));
    }
    if (copied.length < bytes) {
      copied = new byte[bytes];
    }
    pointer.move(block);
    pointer.read(0, copied, 0, bytes);
    to.put(offset, copied, 0, bytes);
  }
}
