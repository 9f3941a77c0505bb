// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rotary position embedding, against the same operations on the host, bit for bit. */
abstract class RopeContract extends OperationsContract {
  private static final EnumSet<DType> SAMPLES = EnumSet.of(DType.F32, DType.BF16);

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(List.of(Family.ROPE)).units().stream()
        .filter(unit -> SAMPLES.stream().anyMatch(type -> unit.type().equals(type.toString())))
        .toList();
  }

  private boolean isTried(DType type) {
    return type.isFloatingPoint() && (isRealGpu() || SAMPLES.contains(type));
  }

  private static LongUnaryOperator values(DType type, int seed) {
    long[] bits =
        new Random(seed).doubles(1009, -4, 4).mapToLong(value -> bits(type, value)).toArray();
    return i -> bits[(int) (i % bits.length)];
  }

  /** Returns a * b + c * d as the kernels compute it. */
  private static long sum(DType type, double a, double b, double c, double d) {
    if (type == DType.F64) {
      return bits(type, Math.fma(c, d, a * b));
    }
    return bits(type, Math.fma((float) c, (float) d, (float) a * (float) b));
  }

  private static long[] expected(
      DType type,
      RotaryPairs pairs,
      long[] shape,
      LongUnaryOperator x,
      LongUnaryOperator cos,
      LongUnaryOperator sin) {
    int row = (int) shape[shape.length - 1];
    int positions = (int) shape[shape.length - 2];
    long[] out = new long[(int) Layout.of(shape).count()];
    for (int start = 0; start < out.length; start += row) {
      for (int i = 0; i < row / 2; i++) {
        int first = start + (pairs == RotaryPairs.INTERLEAVED ? 2 * i : i);
        int second = pairs == RotaryPairs.INTERLEAVED ? first + 1 : first + row / 2;
        long angle = (long) (start / row % positions) * (row / 2) + i;
        double a = number(type, x.applyAsLong(first));
        double b = number(type, x.applyAsLong(second));
        double c = number(type, cos.applyAsLong(angle));
        double s = number(type, sin.applyAsLong(angle));
        out[first] = sum(type, a, c, -b, s);
        out[second] = sum(type, a, s, b, c);
      }
    }
    return out;
  }

  @ParameterizedTest
  @EnumSource
  void rope_anyShape_turnsPairs(DType type) {
    if (!isTried(type)) {
      return;
    }
    long[][] shapes = {
      {1, 2},
      {5, 2},
      {8, 2},
      {3, 2, 3, 6},
      {2, 3, 5, 8},
      {1, 1, 1, 64},
      {2, 2, 7, 12},
      {0, 4},
      {3, 0},
      {isRealGpu() ? 500 : 3, 5, 11, 128}
    };
    for (long[] shape : shapes) {
      long positions = shape[shape.length - 2];
      long half = shape[shape.length - 1] / 2;
      LongUnaryOperator x = values(type, 1);
      LongUnaryOperator cos = values(type, 2);
      LongUnaryOperator sin = values(type, 3);
      for (RotaryPairs pairs : RotaryPairs.values()) {
        ResultTensor aligned = result(type, shape);
        ResultTensor shifted = shiftedResult(type, shape);
        for (ResultTensor out : List.of(aligned, shifted)) {
          operations.rope(
              pairs,
              tensor(type, x, shape),
              tensor(type, cos, positions, half),
              tensor(type, sin, positions, half),
              out.tensor(),
              stream);
          assertThat(bits(out))
              .as("%s of %s", pairs, out.tensor())
              .isEqualTo(expected(type, pairs, shape, x, cos, sin));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(RotaryPairs.class)
  void rope_inPlaceWithAPartOfTheTables_isRight(RotaryPairs pairs) {
    LongUnaryOperator x = values(DType.F32, 1);
    LongUnaryOperator cos = values(DType.F32, 2);
    LongUnaryOperator sin = values(DType.F32, 3);
    ResultTensor out = result(DType.F32, 3, 4, 16);
    out.tensor().buffer().copyFrom(Elements.bytes(DType.F32, 3 * 4 * 16, x));
    Layout part = Layout.of(10, 8).slice(0, 5, 9);
    operations.rope(
        pairs,
        out.tensor(),
        tensor(DType.F32, cos, 10, 8).withLayout(part),
        tensor(DType.F32, sin, 10, 8).withLayout(part),
        out.tensor(),
        stream);
    assertThat(bits(out))
        .isEqualTo(
            expected(
                DType.F32,
                pairs,
                new long[] {3, 4, 16},
                x,
                i -> cos.applyAsLong(i + 40),
                i -> sin.applyAsLong(i + 40)));
  }

  @ParameterizedTest
  @EnumSource(RotaryPairs.class)
  void rope_tablesOfDifferentLayouts_areReadEachByItsOwn(RotaryPairs pairs) {
    LongUnaryOperator x = values(DType.F32, 1);
    LongUnaryOperator rows = values(DType.F32, 2);
    LongUnaryOperator columns = values(DType.F32, 3);
    for (int half : new int[] {8, 3}) {
      long[] shape = {3, 4, 2L * half};
      DeviceTensor byRow = tensor(DType.F32, rows, 4, half);
      DeviceTensor byColumn = tensor(DType.F32, columns, Layout.of(half, 4).transpose(0, 1));
      LongUnaryOperator column = angle -> columns.applyAsLong(angle % half * 4 + angle / half);
      ResultTensor out = result(DType.F32, shape);
      DeviceTensor turned = tensor(DType.F32, x, shape);
      operations.rope(pairs, turned, byRow, byColumn, out.tensor(), stream);
      assertThat(bits(out)).isEqualTo(expected(DType.F32, pairs, shape, x, rows, column));
      operations.rope(pairs, turned, byColumn, byRow, out.tensor(), stream);
      assertThat(bits(out)).isEqualTo(expected(DType.F32, pairs, shape, x, column, rows));
    }
  }

  /** Positions before heads: the tables repeat along the heads. */
  @Test
  void rope_tablesWithAnAxisOfOne_areRepeated() {
    LongUnaryOperator x = values(DType.F32, 1);
    LongUnaryOperator angle = values(DType.F32, 2);
    ResultTensor out = result(DType.F32, 6, 3, 8);
    DeviceTensor table = tensor(DType.F32, angle, 6, 1, 4);
    operations.rope(
        RotaryPairs.HALVES, tensor(DType.F32, x, 6, 3, 8), table, table, out.tensor(), stream);
    LongUnaryOperator repeated = i -> angle.applyAsLong(i / 12 * 4 + i % 4);
    assertThat(bits(out))
        .isEqualTo(
            expected(DType.F32, RotaryPairs.HALVES, new long[] {18, 8}, x, repeated, repeated));
  }

  /** The bound that docs/kernels.md states for float: of the exact value, from exact arithmetic. */
  @Test
  void rope_float_isWithinTheStatedBound() {
    long[] shape = {64, 32};
    LongUnaryOperator x = values(DType.F32, 4);
    LongUnaryOperator cos = values(DType.F32, 5);
    LongUnaryOperator sin = values(DType.F32, 6);
    ResultTensor out = result(DType.F32, shape);
    operations.rope(
        RotaryPairs.INTERLEAVED,
        tensor(DType.F32, x, shape),
        tensor(DType.F32, cos, 64, 16),
        tensor(DType.F32, sin, 64, 16),
        out.tensor(),
        stream);
    double[] turned = numbers(out);
    for (int i = 0; i < turned.length; i += 2) {
      double a = number(DType.F32, x.applyAsLong(i));
      double b = number(DType.F32, x.applyAsLong(i + 1));
      double c = number(DType.F32, cos.applyAsLong(i / 2));
      double s = number(DType.F32, sin.applyAsLong(i / 2));
      BigDecimal exact =
          new BigDecimal(a)
              .multiply(new BigDecimal(c))
              .subtract(new BigDecimal(b).multiply(new BigDecimal(s)));
      double error = exact.subtract(new BigDecimal(turned[i])).abs().doubleValue();
      double bound = (Math.ulp((float) (a * c)) + Math.ulp((float) turned[i])) / 2.0;
      assertThat(error).isLessThanOrEqualTo(bound);
    }
  }

  @Test
  void rope_whatDoesNotFit_namesTheTensor() {
    DeviceTensor x = numbers(DType.F32, new double[12], 2, 6);
    DeviceTensor table = numbers(DType.F32, new double[8], 2, 4);
    DeviceTensor odd = x.withLayout(Layout.of(4, 3));
    DeviceTensor integers = numbers(DType.I64, new double[12], 2, 6);
    assertThatThrownBy(() -> operations.rope(RotaryPairs.HALVES, x, table, table, x, stream))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rope: cos does not fit out: the shape [2, 4] does not broadcast to [2, 3]");
    assertThatThrownBy(() -> operations.rope(RotaryPairs.HALVES, odd, table, table, odd, stream))
        .hasMessage("rope: x has rows of 3 elements, an odd number");
    assertThatThrownBy(
            () ->
                operations.rope(RotaryPairs.HALVES, integers, integers, integers, integers, stream))
        .hasMessage("rope: x is i64 and must be f32, f64, f16 or bf16");
    DeviceTensor own = x.withLayout(Layout.of(2, 3));
    assertThatThrownBy(() -> operations.rope(RotaryPairs.HALVES, x, own, table, x, stream))
        .hasMessage("rope: out overlaps cos");
    assertThatThrownBy(() -> operations.rope(RotaryPairs.HALVES, x, integers, table, x, stream))
        .hasMessage("rope: cos is i64 and must be f32");
    DeviceTensor columns = x.withLayout(Layout.of(6, 2).transpose(0, 1));
    assertThatThrownBy(() -> operations.rope(RotaryPairs.HALVES, columns, table, table, x, stream))
        .hasMessage("rope: x must be contiguous, and is [2, 6] with strides [1, 2]");
  }
}
