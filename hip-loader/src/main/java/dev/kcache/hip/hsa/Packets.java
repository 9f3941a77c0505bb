// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import dev.kcache.hip.binding.HipLibrary;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The packets of a queue, which the device reads. All but the first four bytes of one are written
 * at first; those make it valid and are stored last, with release. Each packet begins once those
 * before it are done (the barrier bit), and fences the whole system's memory on both sides.
 *
 * <p>Allocates nothing. For use by one thread at a time. Layouts: {@code
 * hsa_kernel_dispatch_packet_t} and {@code hsa_barrier_and_packet_t} of {@link Hsa}'s {@code
 * hsa.h}.
 */
final class Packets {
  private static final int SIZE = 64;

  /** Barrier, acquire and release with the scope of the system. */
  private static final int IN_ORDER = 1 << 8 | 2 << 9 | 2 << 11;

  private static final int KERNEL_DISPATCH = 2 | IN_ORDER;
  private static final int BARRIER_AND = 3 | IN_ORDER;

  /** In the upper half of the first four bytes. */
  private static final int THREE_DIMENSIONS = 3 << 16;

  private static final VarHandle FIRST =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  private final ByteBuffer memory;
  private final int mask;

  /**
   * Creates a view.
   *
   * @param address the first packet's, a multiple of 64
   * @param count a power of two
   */
  Packets(long address, int count) {
    memory = HipLibrary.view(address, count * SIZE).order(ByteOrder.nativeOrder());
    mask = count - 1;
  }

  /** Writes the packet of a launch. */
  void launch(long index, Kernel kernel, Launch launch, long arguments, long completion) {
    int at = place(index);
    memory.putShort(at + 4, (short) launch.blockX);
    memory.putShort(at + 6, (short) launch.blockY);
    memory.putShort(at + 8, (short) launch.blockZ);
    memory.putShort(at + 10, (short) 0);
    memory.putInt(at + 12, launch.gridX * launch.blockX);
    memory.putInt(at + 16, launch.gridY * launch.blockY);
    memory.putInt(at + 20, launch.gridZ * launch.blockZ);
    memory.putInt(at + 24, kernel.scratch());
    memory.putInt(at + 28, kernel.sharedMemory() + launch.sharedMemory);
    memory.putLong(at + 32, kernel.object());
    memory.putLong(at + 40, arguments);
    memory.putLong(at + 48, 0);
    memory.putLong(at + 56, completion);
    FIRST.setRelease(memory, at, KERNEL_DISPATCH | THREE_DIMENSIONS);
  }

  /**
   * Writes a packet that waits.
   *
   * @param dependency a signal that has to be 0 first; 0 for none
   */
  void barrier(long index, long dependency, long completion) {
    int at = place(index);
    memory.putInt(at + 4, 0);
    memory.putLong(at + 8, dependency);
    for (int i = 16; i < 56; i += Long.BYTES) {
      memory.putLong(at + i, 0);
    }
    memory.putLong(at + 56, completion);
    FIRST.setRelease(memory, at, BARRIER_AND);
  }

  private int place(long index) {
    return (int) (index & mask) * SIZE;
  }
}
