// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.kernels.Arithmetic.FloatingPoint;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;

/** Bit patterns of elements where arithmetic tends to go wrong, and some arbitrary ones. */
final class AwkwardValues {
  private static final int ARBITRARY = 50;

  private AwkwardValues() {}

  static List<Long> of(DType type) {
    int width = 8 * type.bytes();
    Set<Long> values = new LinkedHashSet<>();
    LongStream known =
        Arithmetic.of(type) instanceof FloatingPoint format ? floats(format) : integers(width);
    LongStream.concat(known, new Random(width).longs(ARBITRARY))
        .map(value -> value & -1L >>> (64 - width))
        .forEach(values::add);
    return List.copyOf(values);
  }

  private static LongStream integers(int width) {
    long lowest = 1L << (width - 1);
    return LongStream.of(0, 1, 2, 3, 7, 100, -1, -2, -3, -7, -100, lowest, ~lowest, lowest + 1);
  }

  private static LongStream floats(FloatingPoint format) {
    long sign = 1L << (format.exponentBits() + format.fractionBits());
    long normal = 1L << format.fractionBits();
    long one = format.encode(1);
    return LongStream.of(
            0,
            1,
            2,
            normal - 1,
            normal,
            normal + 1,
            one - 1,
            one,
            one + 1,
            format.encode(2),
            format.encode(3),
            format.encode(0.1),
            format.encode(1 / 3.0),
            format.infinity() - 1,
            format.infinity(),
            format.infinity() | 1,
            format.quietNaN(),
            format.quietNaN() | 1)
        .flatMap(bits -> LongStream.of(bits, bits | sign));
  }
}
