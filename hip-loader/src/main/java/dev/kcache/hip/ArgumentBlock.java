// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The native memory of a launch: the bytes of the arguments as the kernel sees them, and the list
 * that says where they are: the {@code extra} of {@code hipModuleLaunchKernel}.
 *
 * <p>Its address is fixed, so that launches with the same block allocate nothing. Source: {@code
 * HIP_LAUNCH_PARAM_*} in <a
 * href="https://github.com/ROCm/HIP/blob/rocm-6.4.0/include/hip/hip_runtime_api.h">{@code
 * hip_runtime_api.h}</a>; AMD's runtime looks at the places 0, 2 and 4 of the list, in this order;
 * CUDA's is the same but for its end.
 */
final class ArgumentBlock {
  private static final long BUFFER_POINTER = 1;
  private static final long BUFFER_SIZE = 2;

  // The list's five words, what the fourth points to, a word for the current device, and then the
  // arguments, aligned as the strictest type of C is.
  private static final int SIZE_WORD = 40;
  private static final int DEVICE_WORD = 48;
  private static final int ARGUMENTS = 64;

  private final ByteBuffer memory;
  private final long address;
  private final boolean empty;

  /**
   * Creates a block of zeros for {@code size} bytes of arguments.
   *
   * @param end the end mark of the list
   */
  ArgumentBlock(int size, long end) {
    ByteBuffer unaligned = ByteBuffer.allocateDirect(3 * ARGUMENTS + size);
    memory = unaligned.alignedSlice(ARGUMENTS).order(ByteOrder.nativeOrder());
    address = HipLibrary.address(memory);
    empty = size == 0;
    memory.putLong(0, BUFFER_POINTER).putLong(8, address + ARGUMENTS);
    memory.putLong(16, BUFFER_SIZE).putLong(24, address + SIZE_WORD).putLong(32, end);
    memory.putLong(SIZE_WORD, size);
  }

  /**
   * Writes a number.
   *
   * @param offset where, among the arguments
   * @param size 1, 2, 4 or 8 bytes
   */
  void put(int offset, int size, long bits) {
    int at = ARGUMENTS + offset;
    switch (size) {
      case Byte.BYTES -> memory.put(at, (byte) bits);
      case Short.BYTES -> memory.putShort(at, (short) bits);
      case Integer.BYTES -> memory.putInt(at, (int) bits);
      default -> memory.putLong(at, bits);
    }
  }

  /** Writes bytes. */
  void put(int offset, byte[] bytes) {
    memory.put(ARGUMENTS + offset, bytes);
  }

  /**
   * Returns the address of the list; 0 if there are no arguments, since the runtime answers an
   * empty list with 701.
   */
  long extraAddress() {
    return empty ? 0 : address;
  }

  /** Returns the address of a word for the current device of a thread. */
  long currentDeviceAddress() {
    return address + DEVICE_WORD;
  }

  /** Returns the word at {@link #currentDeviceAddress}. */
  long currentDevice() {
    return memory.getLong(DEVICE_WORD);
  }
}
