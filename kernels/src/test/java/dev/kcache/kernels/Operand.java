// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.hip.DeviceBuffer;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Memory that a kernel reads: elements of which each has the bits that are given for its index.
 *
 * @param type of the elements
 * @param bits of the element at an index
 * @param count how many there are
 * @param origin the index of the one that the kernel is given the address of
 */
record Operand(DType type, LongUnaryOperator bits, int count, int origin) {

  /** Returns what a contiguous kernel reads; {@code shift} elements off the start of the memory. */
  static Operand contiguous(DType type, LongUnaryOperator bits, int count, int shift) {
    return new Operand(type, bits, shift + count, shift);
  }

  /** Returns what a walk with these strides reads, and nothing else. */
  static Operand strided(
      DType type, LongUnaryOperator bits, List<Long> extents, List<Long> strides) {
    long lowest = 0;
    long highest = 0;
    for (int d = 0; d < extents.size(); d++) {
      long farthest = Math.max(0, extents.get(d) - 1) * strides.get(d);
      lowest += Math.min(0, farthest);
      highest += Math.max(0, farthest);
    }
    return new Operand(type, bits, Math.toIntExact(highest - lowest + 1), Math.toIntExact(-lowest));
  }

  /** Returns the bits of the element so far from the one whose address the kernel is given. */
  long at(long offset) {
    return bits.applyAsLong(origin + offset);
  }

  byte[] bytes() {
    return Elements.bytes(type, count, bits);
  }

  /** Returns what to pass to a kernel, of a buffer that holds this operand. */
  DeviceBuffer argument(DeviceBuffer whole) {
    long start = (long) origin * type.bytes();
    return whole.slice(start, whole.size() - start);
  }
}
