// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * How kernels step through operands of one shape and any strides: {@code Strided} of {@code
 * strided.h}, in as few dimensions as there can be.
 *
 * <pre>
 * walk.begin(2);
 * walk.add(rows, x.stride(0), y.stride(0));
 * walk.add(columns, x.stride(1), y.stride(1));
 * arguments.set(0, walk.merge().argument());
 * </pre>
 *
 * <p>Used again for each launch, so that launches allocate nothing; not safe for use by several
 * threads.
 */
final class Walk {
  private static final int MOST_OPERANDS = 3;

  private final long[] extents = new long[Layout.MAX_RANK];
  private final long[][] strides = new long[MOST_OPERANDS][Layout.MAX_RANK];
  private final ByteBuffer struct =
      ByteBuffer.allocate((2 + Layout.MAX_RANK * (2 + MOST_OPERANDS)) * Long.BYTES)
          .order(ByteOrder.nativeOrder());
  private int operands;
  private int rank;
  private long count;

  /** Forgets all dimensions. */
  Walk begin(int operandCount) {
    operands = operandCount;
    rank = 0;
    count = 1;
    return this;
  }

  /** Adds an innermost dimension, and the distance of neighbours along it. */
  Walk add(long extent, long stride) {
    return add(extent, stride, 0, 0);
  }

  /** Adds an innermost dimension, and the distances of both operands' neighbours. */
  Walk add(long extent, long first, long second) {
    return add(extent, first, second, 0);
  }

  /** Adds an innermost dimension, and the distances of all operands' neighbours. */
  Walk add(long extent, long first, long second, long third) {
    count *= extent;
    if (extent != 1) {
      extents[rank] = extent;
      strides[0][rank] = first;
      strides[1][rank] = second;
      strides[2][rank] = third;
      rank++;
    }
    return this;
  }

  /** Orders the dimensions so that an operand's longer steps come before its shorter ones. */
  Walk outermostFirst(int operand) {
    long[] own = strides[operand];
    for (int d = 1; d < rank; d++) {
      for (int e = d; e > 0 && Math.abs(own[e - 1]) < Math.abs(own[e]); e--) {
        exchangeWithNext(e - 1);
      }
    }
    return this;
  }

  private void exchangeWithNext(int axis) {
    exchangeWithNext(extents, axis);
    for (long[] operand : strides) {
      exchangeWithNext(operand, axis);
    }
  }

  private static void exchangeWithNext(long[] numbers, int axis) {
    long number = numbers[axis];
    numbers[axis] = numbers[axis + 1];
    numbers[axis + 1] = number;
  }

  /** Makes one dimension of neighbours that all operands step through as through one. */
  Walk merge() {
    int added = count == 0 ? 0 : rank;
    rank = 0;
    for (int d = 0; d < added; d++) {
      if (rank > 0 && isOneWithTheLast(d)) {
        extents[rank - 1] *= extents[d];
      } else {
        extents[rank++] = extents[d];
      }
      for (long[] operand : strides) {
        operand[rank - 1] = operand[d];
      }
    }
    return this;
  }

  private boolean isOneWithTheLast(int axis) {
    for (int k = 0; k < operands; k++) {
      if (strides[k][rank - 1] != strides[k][axis] * extents[axis]) {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of elements. */
  long count() {
    return count;
  }

  /** Returns the number of dimensions. */
  int rank() {
    return rank;
  }

  /** Returns how far apart neighbours of the first operand are, in elements; there must be any. */
  long step() {
    return Math.abs(strides[0][rank - 1]);
  }

  /** Returns the extent of a dimension. */
  long extent(int axis) {
    return extents[axis];
  }

  /** Returns the distance of an operand's neighbours along a dimension. */
  long stride(int operand, int axis) {
    return strides[operand][axis];
  }

  /** Moves a dimension inwards, until only the last is behind it. */
  void moveBeforeLast(int axis) {
    for (int d = axis; d < rank - 2; d++) {
      exchangeWithNext(d);
    }
  }

  /** Returns whether all operands lie one element after the other, in the order of the walk. */
  boolean isContiguous() {
    for (int k = 0; k < operands; k++) {
      if (rank > 1 || (rank == 1 && strides[k][0] != 1)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the struct that kernels take, by value; it lasts until the next one is asked for. */
  ByteBuffer argument() {
    struct.clear().putLong(count).putLong(rank);
    put(extents);
    for (int d = 0; d < Layout.MAX_RANK; d++) {
      struct.putInt(isDivided(d) ? multiplier(extents[d]) : 0);
    }
    for (int d = 0; d < Layout.MAX_RANK; d++) {
      struct.putInt(isDivided(d) ? shift(extents[d]) : 0);
    }
    for (int k = 0; k < operands; k++) {
      put(strides[k]);
    }
    return struct.flip();
  }

  private void put(long[] numbers) {
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
