// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * How kernels step through operands of one shape and any strides: {@code Strided} of {@code
 * strided.h}, in as few dimensions as there can be.
 */
final class Walk {
  private final long count;
  private final long[] extents = new long[Layout.MAX_RANK];
  private final long[][] strides;
  private int rank;

  /**
   * Merges dimensions that all operands step through as through one.
   *
   * @param operands layouts of the same shape
   */
  Walk(Layout... operands) {
    Layout shape = operands[0];
    count = shape.count();
    strides = new long[operands.length][Layout.MAX_RANK];
    for (int d = 0; count > 0 && d < shape.rank(); d++) {
      if (shape.extent(d) > 1) {
        if (rank > 0 && isOneWithTheLast(d, operands)) {
          extents[rank - 1] *= shape.extent(d);
        } else {
          extents[rank++] = shape.extent(d);
        }
        for (int k = 0; k < operands.length; k++) {
          strides[k][rank - 1] = operands[k].stride(d);
        }
      }
    }
  }

  private boolean isOneWithTheLast(int axis, Layout[] operands) {
    for (int k = 0; k < operands.length; k++) {
      if (strides[k][rank - 1] != operands[k].stride(axis) * operands[k].extent(axis)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of elements. */
  long count() {
    return count;
  }

  /** Returns the number of dimensions that are left. */
  int rank() {
    return rank;
  }

  /** Returns how far apart neighbours of the first operand are, in elements; there must be any. */
  long step() {
    return Math.abs(strides[0][rank - 1]);
  }

  /** Returns the extent of a dimension that is left. */
  long extent(int axis) {
    return extents[axis];
  }

  /** Returns the distance of an operand's neighbours along a dimension that is left. */
  long stride(int operand, int axis) {
    return strides[operand][axis];
  }

  /** Moves a dimension inwards, until only the last is behind it. */
  void moveBeforeLast(int axis) {
    moveBeforeLast(extents, axis);
    for (long[] operand : strides) {
      moveBeforeLast(operand, axis);
    }
  }

  private void moveBeforeLast(long[] numbers, int axis) {
    long moved = numbers[axis];
    System.arraycopy(numbers, axis + 1, numbers, axis, rank - 2 - axis);
    numbers[rank - 2] = moved;
  }

  /** Returns whether all operands lie one element after the other, in the order of the walk. */
  boolean isContiguous() {
    for (long[] operand : strides) {
      if (rank > 1 || (rank == 1 && operand[0] != 1)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the struct that kernels take, by value. */
  ByteBuffer argument() {
    int size = 2 * Long.BYTES + Layout.MAX_RANK * (2 + strides.length) * Long.BYTES;
    ByteBuffer struct = ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
    struct.putLong(count).putLong(rank);
    put(struct, extents);
    for (int d = 0; d < Layout.MAX_RANK; d++) {
      struct.putInt(isDivided(d) ? multiplier(extents[d]) : 0);
    }
    for (int d = 0; d < Layout.MAX_RANK; d++) {
      struct.putInt(isDivided(d) ? shift(extents[d]) : 0);
    }
    for (long[] operand : strides) {
      put(struct, operand);
    }
    return struct.flip();
  }

  private static void put(ByteBuffer struct, long[] numbers) {
    for (long number : numbers) {
      struct.putLong(number);
    }
  }

  /** Returns whether kernels divide by the extent as by one of 31 bits. */
  private boolean isDivided(int axis) {
    return axis < rank && count <= Integer.MAX_VALUE;
  }

  /** Returns the least number of bits that count as many elements. */
  private static int shift(long extent) {
    return Long.SIZE - Long.numberOfLeadingZeros(extent - 1);
  }

  /**
   * Returns 2^32 (2^shift - extent) / extent, plus 1: by Granlund and Montgomery, "Division by
   * Invariant Integers using Multiplication", 1994, figure 4.1.
   */
  private static int multiplier(long extent) {
    return (int) (((((1L << shift(extent)) - extent) << 32) / extent) + 1);
  }
}
