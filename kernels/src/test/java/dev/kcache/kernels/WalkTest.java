// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The struct of a walk, read as kernels read it. */
final class WalkTest {
  @Test
  void neighbours_thatAllOperandsStepThroughAlike_areOneDimension() {
    assertThat(walk(Layout.of(2, 3, 4), Layout.of(2, 3, 4)).rank()).isEqualTo(1);
    assertThat(walk(Layout.of(2, 3, 4), Layout.of(2, 3, 4)).isContiguous()).isTrue();
    assertThat(walk(Layout.of(2, 3, 4), Layout.of(4).broadcastTo(2, 3, 4)).rank()).isEqualTo(2);
    assertThat(walk(Layout.of(5, 1, 7).transpose(0, 2)).rank()).isEqualTo(2);
    assertThat(walk(Layout.of(1, 1)).rank()).isZero();
    assertThat(walk(Layout.of(3, 0)).count()).isZero();
    assertThat(walk(Layout.of(3, 0)).rank()).isZero();
  }

  @Test
  void outermostFirst_anyOrder_isThatOfTheSteps() {
    Walk walk = new Walk().begin(2).add(3, 1, -5).add(4, 3, 1).add(5, 12, 40).add(6, 0, 5);
    walk.outermostFirst(1);
    assertThat(IntStream.range(0, walk.rank()).mapToLong(walk::extent))
        .containsExactly(5L, 3L, 6L, 4L);
    assertThat(IntStream.range(0, 4).mapToLong(d -> walk.stride(0, d)))
        .containsExactly(12L, 1L, 0L, 3L);
  }

  @Test
  void begin_afterALongerWalk_forgetsIt() {
    Walk walk = walk(Layout.of(2, 3, 4).transpose(0, 2), Layout.of(4, 3, 2));
    assertThat(walk.begin(1).add(7, 1).merge().isContiguous()).isTrue();
    ByteBuffer struct = walk.argument();
    for (long index : new long[] {0, 1, 6}) {
      assertThat(offset(struct, 0, index)).isEqualTo(index);
    }
  }

  @Test
  void argument_anyLayouts_findsTheElementsOfEach() {
    Random random = new Random(39);
    for (int round = 0; round < 300; round++) {
      int rank = random.nextInt(9);
      long[] shape = random.longs(rank, 1, 5).toArray();
      Layout left = layout(random, shape);
      Layout right = layout(random, shape);
      ByteBuffer struct = walk(left, right).argument();
      assertThat(struct.remaining()).isEqualTo(16 + 8 * (8 + 4 + 4 + 16));
      for (long index = 0; index < left.count(); index++) {
        assertThat(offset(struct, 0, index)).isEqualTo(offset(left, index));
        assertThat(offset(struct, 1, index)).isEqualTo(offset(right, index));
      }
    }
  }

  @Test
  void argument_largeExtents_divideRightAtTheirMultiples() {
    for (long extent : new long[] {1, 2, 3, 7, 641, 65_535, 65_537, (1L << 30) + 1}) {
      long outer = Integer.MAX_VALUE / extent;
      Layout rows = Layout.strided(new long[] {outer, extent}, new long[] {1, 0}, 0);
      ByteBuffer struct = walk(rows).argument();
      for (long row : new long[] {0, outer / 3, outer / 2, outer - 1}) {
        for (long index : new long[] {row * extent, row * extent + extent - 1}) {
          assertThat(offset(struct, 0, index)).as("%d of %d", index, extent).isEqualTo(row);
        }
      }
    }
  }

  private static Walk walk(Layout... operands) {
    Layout first = operands[0];
    Layout last = operands[operands.length - 1];
    Walk walk = new Walk().begin(operands.length);
    for (int d = 0; d < first.rank(); d++) {
      walk.add(first.extent(d), first.stride(d), last.stride(d));
    }
    return walk.merge();
  }

  /** Returns a random layout: permuted, repeated, backwards, or a part of a larger one. */
  private static Layout layout(Random random, long[] shape) {
    long[] strides = new long[shape.length];
    long offset = 0;
    for (int d = 0; d < shape.length; d++) {
      strides[d] = (long) random.nextInt(-20, 21) * random.nextInt(2);
      offset += Math.max(0, -strides[d] * (shape[d] - 1));
    }
    return random.nextBoolean() ? Layout.of(shape) : Layout.strided(shape, strides, offset);
  }

  private static long offset(Layout layout, long index) {
    long offset = 0;
    long rest = index;
    for (int d = layout.rank() - 1; d >= 0; d--) {
      offset += rest % layout.extent(d) * layout.stride(d);
      rest /= layout.extent(d);
    }
    return offset;
  }

  /** Does what {@code locate} of strided.h does. */
  private static long offset(ByteBuffer struct, int operand, long index) {
    int rest = Math.toIntExact(index);
    long offset = 0;
    for (int d = (int) struct.getLong(8) - 1; d >= 0; d--) {
      long multiplier = Integer.toUnsignedLong(struct.getInt(80 + 4 * d));
      int high = (int) ((Integer.toUnsignedLong(rest) * multiplier) >>> 32);
      int quotient = (int) (Integer.toUnsignedLong(rest + high) >>> struct.getInt(112 + 4 * d));
      offset +=
          (rest - quotient * struct.getLong(16 + 8 * d))
              * struct.getLong(144 + 64 * operand + 8 * d);
      rest = quotient;
    }
    return offset;
  }
}
