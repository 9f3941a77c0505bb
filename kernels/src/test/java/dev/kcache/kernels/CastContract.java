// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.fail;

import dev.kcache.kernels.Arithmetic.FloatingPoint;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Casts between all types, compared with exact arithmetic. */
abstract class CastContract extends OperationsContract {
  private static final Map<Family, Set<DType>> SAMPLES =
      Map.of(
          Family.CAST, EnumSet.of(DType.F32, DType.F64, DType.I64),
          Family.SATURATE, EnumSet.of(DType.F32, DType.I64));

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(SAMPLES.keySet()).units().stream()
        .filter(
            unit ->
                SAMPLES.get(unit.family()).stream()
                    .anyMatch(type -> unit.type().equals(type.toString())))
        .toList();
  }

  private boolean isTried(DType from, Overflow overflow) {
    Family family = overflow == Overflow.WRAP ? Family.CAST : Family.SATURATE;
    return isRealGpu() || SAMPLES.get(family).contains(from);
  }

  @ParameterizedTest
  @EnumSource
  void cast_wrapping_isExactThenRoundedOnce(DType from) {
    checkAll(from, Overflow.WRAP, EnumSet.allOf(DType.class));
  }

  @ParameterizedTest
  @EnumSource
  void cast_saturating_isTheNearestLimit(DType from) {
    checkAll(from, Overflow.SATURATE, DType.integers());
  }

  private void checkAll(DType from, Overflow overflow, Set<DType> targets) {
    if (!isTried(from, overflow)) {
      return;
    }
    long[] values = values(from);
    int n = values.length;
    for (DType to : targets) {
      ResultTensor plain = result(to, n);
      operations.cast(tensor(from, i -> values[(int) i], n), plain.tensor(), overflow, stream);
      assertIs(plain, from, overflow, values);

      ResultTensor strided = shiftedResult(to, n);
      Layout backwards = Layout.strided(new long[] {n}, new long[] {-2}, 2L * (n - 1));
      operations.cast(
          tensor(from, i -> values[n - 1 - (int) i / 2], backwards),
          strided.tensor(),
          overflow,
          stream);
      assertIs(strided, from, overflow, values);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"U8", "F64"})
  void cast_anyCount_writesItAndNoMore(DType to) {
    int[] counts = {0, 1, 31, 32, 33, 63, 64, 65, 1023, 1025, isRealGpu() ? (1 << 20) + 7 : 3000};
    for (int count : counts) {
      long[] values =
          new Random(count)
              .ints(count, -1000, 1000)
              .mapToLong(i -> bits(DType.F32, i / 8.))
              .toArray();
      ResultTensor out = count % 2 == 0 ? shiftedResult(to, count) : result(to, count);
      operations.cast(
          tensor(DType.F32, i -> values[(int) i], count), out.tensor(), Overflow.WRAP, stream);
      assertIs(out, DType.F32, Overflow.WRAP, values);
    }
  }

  private void assertIs(ResultTensor out, DType from, Overflow overflow, long[] values) {
    DType to = out.tensor().type();
    long[] actual = bits(out);
    long[] expected = LongStream.of(values).map(x -> cast(from, to, overflow, x)).toArray();
    for (int i = 0; i < values.length; i++) {
      // Of a NaN, only that it stays one is specified.
      boolean bothNaN =
          from != to
              && Double.isNaN(number(to, expected[i]))
              && Double.isNaN(number(to, actual[i]));
      if (actual[i] != expected[i] && !bothNaN) {
        fail("%s 0x%x to %s, %s: 0x%x", from, values[i], to, overflow, actual[i]);
      }
    }
  }

  /** Returns awkward values, neighbours of the integers' limits, and ties with their neighbours. */
  private static long[] values(DType type) {
    Set<Long> values = new LinkedHashSet<>(AwkwardValues.of(type));
    long[] limits = {
      0x80,
      0xff,
      0x100,
      65503,
      65504,
      65519,
      65520,
      65535,
      1L << 31,
      1L << 32,
      1L << 53,
      Long.MAX_VALUE
    };
    LongStream ties =
        LongStream.of(7, 10, 23, 52)
            .flatMap(
                fraction ->
                    LongStream.range(0, 62 - fraction)
                        .flatMap(
                            shift ->
                                LongStream.of(1, 3).map(odd -> ((2L << fraction) + odd) << shift)));
    long[] wholes = LongStream.concat(Arrays.stream(limits), ties).toArray();
    long mask = -1L >>> (64 - 8 * type.bytes());
    for (long whole : wholes) {
      // Beside a limit, and from a tie up and down by the least that there is.
      for (long beside : new long[] {whole - 1, whole, whole + 1, -whole - 1, -whole, -whole + 1}) {
        values.add(bits(type, (double) beside) & mask);
        if (!type.isFloatingPoint()) {
          values.add(beside & mask);
        }
      }
    }
    if (type.isFloatingPoint()) {
      long sign = 1L << (8 * type.bytes() - 1);
      for (long tie : new long[] {0x101, 0x103, 0x801, 0x803, 0x1000001, 0x1000003}) {
        // From where bf16 is subnormal to beyond 64 bits.
        for (int exponent = -170; exponent < 100; exponent += 3) {
          long bits = bits(type, Math.scalb((double) tie, exponent));
          for (long beside : new long[] {bits - 1, bits, bits + 1}) {
            values.add(beside & mask);
            values.add((beside ^ sign) & mask);
          }
        }
      }
    }
    return values.stream().mapToLong(Long::longValue).toArray();
  }

  private static long cast(DType from, DType to, Overflow overflow, long bits) {
    if (from == to) {
      return bits;
    }
    BigDecimal exact;
    if (Arithmetic.of(from) instanceof FloatingPoint format) {
      double value = format.decode(bits);
      if (Arithmetic.of(to) instanceof FloatingPoint result) {
        // A double holds it, and encode() rounds a double once.
        return result.encode(value);
      }
      if (Double.isNaN(value) || (Double.isInfinite(value) && overflow == Overflow.WRAP)) {
        return 0;
      }
      if (Math.abs(value) < 1) {
        return 0;
      }
      exact =
          Double.isInfinite(value)
              ? BigDecimal.ONE
                  .scaleByPowerOfTen(400)
                  .multiply(BigDecimal.valueOf(Math.signum(value)))
              : new BigDecimal(value);
    } else {
      int spare = 64 - 8 * from.bytes();
      boolean signed = from == DType.I32 || from == DType.I64;
      exact = BigDecimal.valueOf(signed ? bits << spare >> spare : bits);
      if (Arithmetic.of(to) instanceof FloatingPoint result) {
        return round(exact, result);
      }
    }
    BigInteger whole = exact.toBigInteger();
    int width = 8 * to.bytes();
    boolean signed = to == DType.I32 || to == DType.I64;
    BigInteger most = BigInteger.ONE.shiftLeft(signed ? width - 1 : width).subtract(BigInteger.ONE);
    BigInteger least = signed ? most.not() : BigInteger.ZERO;
    if (overflow == Overflow.SATURATE) {
      whole = whole.min(most).max(least);
    }
    return whole.longValue() & -1L >>> (64 - width);
  }

  /** Rounds a whole number to nearest, ties to even, by decimal arithmetic. */
  private static long round(BigDecimal whole, FloatingPoint format) {
    int length = whole.toBigIntegerExact().abs().bitLength();
    int cut = Math.max(0, length - format.fractionBits() - 1);
    BigDecimal unit = new BigDecimal(BigInteger.ONE.shiftLeft(cut));
    double units = whole.divide(unit, 0, RoundingMode.HALF_EVEN).doubleValue();
    return format.encode(Math.scalb(units, cut));
  }
}
