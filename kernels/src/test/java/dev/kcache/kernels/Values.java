// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

/** The bits of a tensor's elements, in order, and their shape. */
@SuppressWarnings("ArrayRecordComponent") // Nothing compares them.
record Values(long[] bits, long... shape) {
  static Values random(DType type, int seed, long... shape) {
    List<Long> awkward = AwkwardValues.of(type);
    Random random = new Random(seed);
    return new Values(
        LongStream.generate(() -> awkward.get(random.nextInt(awkward.size())))
            .limit(Layout.of(shape).count())
            .toArray(),
        shape);
  }

  /** Returns numbers of which sums are rounded, in order. */
  static Values addends(DType type, int seed, long... shape) {
    Random random = new Random(seed);
    return new Values(
        LongStream.generate(() -> OperationsContract.bits(type, random.nextInt(1 << 12) * 0.37 + 1))
            .limit(Layout.of(shape).count())
            .toArray(),
        shape);
  }

  static Values indices(int seed, int bound, long... shape) {
    Random random = new Random(seed);
    return new Values(
        LongStream.generate(() -> random.nextInt(bound)).limit(Layout.of(shape).count()).toArray(),
        shape);
  }

  long at(long[] coordinates) {
    return bits[position(coordinates)];
  }

  int position(long[] coordinates) {
    long position = 0;
    for (int d = 0; d < shape.length; d++) {
      position = position * shape[d] + coordinates[d];
    }
    return Math.toIntExact(position);
  }

  long[] coordinates(int position) {
    long[] coordinates = new long[shape.length];
    long rest = position;
    for (int d = shape.length - 1; d >= 0; d--) {
      coordinates[d] = rest % shape[d];
      rest /= shape[d];
    }
    return coordinates;
  }
}
