// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** How the elements of two operands pair up, the outermost dimension first. */
record StridedShape(List<Long> extents, List<Long> left, List<Long> right) {

  static StridedShape vector(long count, long left, long right) {
    return new StridedShape(List.of(count), List.of(left), List.of(right));
  }

  /** Returns how many elements the result has. */
  long count() {
    return extents.stream().reduce(1L, Math::multiplyExact);
  }

  /** Returns how far from the operand's address the element for one of the result is. */
  long offset(List<Long> strides, long index) {
    long offset = 0;
    long rest = index;
    for (int d = extents.size() - 1; d >= 0; d--) {
      offset += rest % extents.get(d) * strides.get(d);
      rest /= extents.get(d);
    }
    return offset;
  }

  /** Returns the struct of a strided kernel, with nonsense for the dimensions that are not. */
  byte[] argument() {
    int fields = 2 + 3 * KernelCatalog.MAX_RANK;
    ByteBuffer struct = ByteBuffer.allocate(fields * Long.BYTES).order(ByteOrder.nativeOrder());
    struct.putLong(count()).putLong(extents.size());
    for (List<Long> numbers : List.of(extents, left, right)) {
      for (int d = 0; d < KernelCatalog.MAX_RANK; d++) {
        struct.putLong(d < numbers.size() ? numbers.get(d) : 0x5eadL);
      }
    }
    return struct.array();
  }
}
