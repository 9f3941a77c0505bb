// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.math.BigInteger;
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
    int fields = 2 + 4 * Layout.MAX_RANK;
    ByteBuffer struct = ByteBuffer.allocate(fields * Long.BYTES).order(ByteOrder.nativeOrder());
    struct.putLong(count()).putLong(extents.size());
    putDimensions(struct, extents);
    for (int d = 0; d < Layout.MAX_RANK; d++) {
      struct.putInt(d < extents.size() ? divisor(extents.get(d))[0] : 0x5ead);
    }
    for (int d = 0; d < Layout.MAX_RANK; d++) {
      struct.putInt(d < extents.size() ? divisor(extents.get(d))[1] : 0x5ead);
    }
    putDimensions(struct, left);
    putDimensions(struct, right);
    return struct.array();
  }

  private static void putDimensions(ByteBuffer struct, List<Long> numbers) {
    for (int d = 0; d < Layout.MAX_RANK; d++) {
      struct.putLong(d < numbers.size() ? numbers.get(d) : 0x5eadL);
    }
  }

  /** Returns a multiplier and a shift that divide 31 bits, found by exact arithmetic. */
  private static int[] divisor(long extent) {
    int shift = 0;
    while (BigInteger.ONE.shiftLeft(shift).compareTo(BigInteger.valueOf(extent)) < 0) {
      shift++;
    }
    BigInteger divisor = BigInteger.valueOf(Math.max(1, extent));
    BigInteger scaled = BigInteger.ONE.shiftLeft(32 + shift).divide(divisor);
    return new int[] {scaled.add(BigInteger.ONE).intValue(), shift};
  }
}
