// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operations on rows against the same in double, within the errors that docs/kernels.md states. */
abstract class RowsContract extends OperationsContract {
  private static final EnumSet<DType> SAMPLES = EnumSet.of(DType.F32, DType.BF16);
  private static final double EPSILON = 1e-5;

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(List.of(Family.SOFTMAX, Family.NORM)).units().stream()
        .filter(unit -> SAMPLES.stream().anyMatch(type -> unit.type().equals(type.toString())))
        .toList();
  }

  private boolean isTried(DType type) {
    return isRealGpu() || SAMPLES.contains(type);
  }

  private List<Layout> layouts() {
    List<Layout> layouts = new ArrayList<>();
    for (long n : new long[] {1, 2, 31, 32, 33, 64, 511, 512, 513, 4095, 4096, 4097, 8193}) {
      layouts.add(Layout.of(n));
      layouts.add(Layout.of(3, n));
    }
    layouts.add(Layout.of(600, 5));
    layouts.add(Layout.of(600, 8));
    layouts.add(Layout.of(33, 1000));
    layouts.add(Layout.of(2, 3, 4, 36));
    layouts.add(Layout.of(32_768));
    layouts.add(Layout.of(32_772));
    layouts.add(Layout.of(40, 70).transpose(0, 1));
    layouts.add(Layout.of(20, 100).slice(1, 3, 95));
    layouts.add(Layout.of(20, 100).slice(1, 4, 96));
    layouts.add(Layout.of(1, 40).broadcastTo(5, 40));
    layouts.add(Layout.of(5, 1).broadcastTo(5, 40));
    layouts.add(Layout.strided(new long[] {4, 40}, new long[] {-40, -1}, 159));
    layouts.add(Layout.strided(new long[] {4, 39}, new long[] {41, 1}, 0));
    if (isRealGpu()) {
      layouts.add(Layout.of(300, 32_768));
      layouts.add(Layout.of(100_003, 36));
      layouts.add(Layout.of(10, 100_001));
    }
    return layouts;
  }

  /** An operation, what it gives for a row, and how far it may be off in units of roundoff. */
  private interface Reference {
    void launch(DeviceTensor x, DeviceTensor out);

    /** Returns what a row gives and how far each element may be off, in units of the roundoff. */
    double[][] of(double[] row);
  }

  private void check(DType type, double spread, double shift, Reference reference) {
    for (Layout layout : layouts()) {
      Random random = new Random(layout.count());
      double[] memory =
          random.doubles((int) layout.last() + 1, shift - spread, shift + spread).toArray();
      DeviceTensor x = tensor(type, place -> bits(type, memory[(int) place]), layout);
      long[] shape = layout.shape();
      ResultTensor out = result(type, shape);
      ResultTensor shifted = shiftedResult(type, shape);
      reference.launch(x, out.tensor());
      reference.launch(x, shifted.tensor());
      long[] found = bits(out);
      assertThat(bits(shifted)).as("%s, again", layout).isEqualTo(found);
      int n = (int) layout.extent(layout.rank() - 1);
      double[][] rows = rows(layout, type, memory);
      for (int r = 0; r < rows.length; r++) {
        double[][] expected = reference.of(rows[r]);
        for (int i = 0; i < n; i++) {
          double exact = expected[0][i];
          double bound =
              expected[1][i] * (type == DType.F64 ? 0x1p-53 : 0x1p-24)
                  + roundoff(type) * Math.abs(exact)
                  + least(type);
          double error = number(type, found[r * n + i]) - exact;
          assertThat(error).as("%s, %d, %d", layout, r, i).isBetween(-bound, bound);
        }
      }
      closeBuffers();
    }
  }

  private static double roundoff(DType type) {
    return switch (type) {
      case F64 -> 0x1p-53;
      case F32 -> 0x1p-24;
      case F16 -> 0x1p-11;
      default -> 0x1p-8;
    };
  }

  private static double least(DType type) {
    return switch (type) {
      case F64 -> Double.MIN_VALUE;
      case F16 -> 0x1p-25;
      case F32 -> 0x1p-149;
      default -> 0x1p-133;
    };
  }

  /** Returns the rows as the device has them, in order. */
  private static double[][] rows(Layout layout, DType type, double[] memory) {
    int n = (int) layout.extent(layout.rank() - 1);
    double[][] rows = new double[(int) (layout.count() / n)][n];
    for (int index = 0; index < layout.count(); index++) {
      long place = layout.offset();
      long rest = index;
      for (int d = layout.rank() - 1; d >= 0; d--) {
        place += rest % layout.extent(d) * layout.stride(d);
        rest /= layout.extent(d);
      }
      rows[index / n][index % n] = number(type, bits(type, memory[(int) place]));
    }
    return rows;
  }

  private static double sum(DoubleStream numbers) {
    return numbers.sum(); // compensated
  }

  private static double[] map(double[] row, DoubleUnaryOperator function) {
    return Arrays.stream(row).map(function).toArray();
  }

  @ParameterizedTest
  @EnumSource(names = {"F32", "F64", "F16", "BF16"})
  void softmax_anyRow_isWithinItsError(DType type) {
    if (isTried(type)) {
      check(
          type,
          12,
          -3,
          new Reference() {
            @Override
            public void launch(DeviceTensor x, DeviceTensor out) {
              operations.rows().softmax(x, out, stream);
            }

            @Override
            public double[][] of(double[] row) {
              double max = Arrays.stream(row).max().orElseThrow();
              double sum = sum(Arrays.stream(row).map(v -> Math.exp(v - max)));
              double mean = sum(Arrays.stream(row).map(v -> (max - v) * Math.exp(v - max))) / sum;
              return new double[][] {
                map(row, v -> Math.exp(v - max) / sum),
                map(row, v -> (32 + mean + max - v) * Math.exp(v - max) / sum)
              };
            }
          });
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"F32", "F64", "F16", "BF16"})
  void logSoftmax_anyRow_isWithinItsError(DType type) {
    if (isTried(type)) {
      check(
          type,
          12,
          4,
          new Reference() {
            @Override
            public void launch(DeviceTensor x, DeviceTensor out) {
              operations.rows().logSoftmax(x, out, stream);
            }

            @Override
            public double[][] of(double[] row) {
              double max = Arrays.stream(row).max().orElseThrow();
              double sum = sum(Arrays.stream(row).map(v -> Math.exp(v - max)));
              double mean = sum(Arrays.stream(row).map(v -> (max - v) * Math.exp(v - max))) / sum;
              return new double[][] {
                map(row, v -> (v - max) - Math.log(sum)),
                map(row, v -> 32 + mean + max - v + 2 * Math.log(sum))
              };
            }
          });
    }
  }

  /** Layer norm if centred, RMS norm if not, with weights and biases that depend on the place. */
  private final class Norm implements Reference {
    private final DType type;
    private final boolean centred;

    Norm(DType type, boolean centred) {
      this.type = type;
      this.centred = centred;
    }

    private static double weight(long place) {
      return (place % 7 - 3) * 0.5;
    }

    private static double bias(long place) {
      return (place % 5 - 2) * 0.25;
    }

    @Override
    public void launch(DeviceTensor x, DeviceTensor out) {
      long n = x.layout().extent(x.layout().rank() - 1);
      DeviceTensor weight = tensor(type, i -> bits(type, weight(i)), n);
      DeviceTensor bias = tensor(type, i -> bits(type, bias(i)), n);
      if (centred) {
        operations.rows().layerNorm(x, weight, bias, EPSILON, out, stream);
      } else {
        operations.rows().rmsNorm(x, weight, EPSILON, out, stream);
      }
    }

    @Override
    public double[][] of(double[] row) {
      int n = row.length;
      double mean = centred ? sum(Arrays.stream(row)) / n : 0;
      double size = centred ? sum(Arrays.stream(row).map(Math::abs)) / n : 0;
      double square = sum(Arrays.stream(row).map(v -> (v - mean) * (v - mean))) / n;
      double deviation = Math.sqrt(square + EPSILON);
      double[][] result = new double[2][n];
      for (int i = 0; i < n; i++) {
        double weight = weight(i);
        double scaled = weight * (row[i] - mean) / deviation;
        result[0][i] = scaled + (centred ? bias(i) : 0);
        result[1][i] = 64 * Math.abs(weight) * size / deviation + 48 * Math.abs(scaled);
      }
      return result;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"F32", "F64", "F16", "BF16"})
  void layerNorm_anyRow_isWithinItsError(DType type) {
    if (isTried(type)) {
      check(type, 2, 5, new Norm(type, true));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"F32", "F64", "F16", "BF16"})
  void rmsNorm_anyRow_isWithinItsError(DType type) {
    if (isTried(type)) {
      check(type, 2, 0.5, new Norm(type, false));
    }
  }

  @Test
  void norms_withoutParameters_haveVarianceOne() {
    DeviceTensor x = numbers(DType.F32, new double[] {1, 3, -2, 2}, 2, 2);
    ResultTensor out = result(DType.F32, 2, 2);
    operations.rows().layerNorm(x, null, null, 0, out.tensor(), stream);
    assertThat(numbers(out)).containsExactly(-1, 1, -1, 1);
    operations
        .rows()
        .rmsNorm(
            x.withLayout(Layout.of(1, 2).slice(0, 0, 1)),
            null,
            0,
            out.tensor().withLayout(Layout.of(1, 2)),
            stream);
    assertThat(numbers(out)[0]).isCloseTo(1 / Math.sqrt(5), within(1e-7));
    assertThat(numbers(out)[2]).isEqualTo(-1);
  }

  /** Weights and biases that begin where no pack does. */
  @Test
  void norms_shiftedParameters_giveTheSame() {
    int n = 64;
    DeviceTensor x = tensor(DType.F32, i -> bits(DType.F32, i % 11 * 0.5), 3, n);
    DeviceTensor weight = tensor(DType.F32, i -> bits(DType.F32, Norm.weight(i)), n);
    DeviceTensor bias = tensor(DType.F32, i -> bits(DType.F32, Norm.bias(i)), n);
    Layout shifted = Layout.of(n + 1).slice(0, 1, n + 1);
    DeviceTensor shiftedWeight =
        tensor(DType.F32, i -> bits(DType.F32, Norm.weight(i - 1)), shifted);
    DeviceTensor shiftedBias = tensor(DType.F32, i -> bits(DType.F32, Norm.bias(i - 1)), shifted);
    ResultTensor expected = result(DType.F32, 3, n);
    ResultTensor out = result(DType.F32, 3, n);
    operations.rows().layerNorm(x, weight, bias, EPSILON, expected.tensor(), stream);
    operations.rows().layerNorm(x, shiftedWeight, bias, EPSILON, out.tensor(), stream);
    assertThat(bits(out)).isEqualTo(bits(expected));
    operations.rows().layerNorm(x, weight, shiftedBias, EPSILON, out.tensor(), stream);
    assertThat(bits(out)).isEqualTo(bits(expected));
  }

  @Test
  void softmax_rowsWithoutOne_areNan() {
    double infinity = Double.POSITIVE_INFINITY;
    double nan = Double.NaN;
    double[] values = {
      -infinity, -infinity, -infinity, -infinity, 0, nan, 1, 2, 0, infinity, 1, 2, 0, -infinity, 0,
      -200
    };
    double[] none = {nan, nan, nan, nan};
    DeviceTensor x = numbers(DType.F32, values, 4, 4);
    ResultTensor out = result(DType.F32, 4, 4);
    operations.rows().softmax(x, out.tensor(), stream);
    double[] found = numbers(out);
    for (int r = 0; r < 3; r++) {
      assertThat(Arrays.copyOfRange(found, 4 * r, 4 * r + 4)).isEqualTo(none);
    }
    assertThat(Arrays.copyOfRange(found, 12, 16)).containsExactly(0.5, 0, 0.5, 0);
    operations.rows().logSoftmax(x, out.tensor(), stream);
    found = numbers(out);
    for (int r = 0; r < 3; r++) {
      assertThat(Arrays.copyOfRange(found, 4 * r, 4 * r + 4)).isEqualTo(none);
    }
    assertThat(found[13]).isEqualTo(-infinity);
    assertThat(found[15]).isEqualTo((double) (-200 - (float) Math.log(2)));
  }

  /** A lane computes powers relative to its own greatest element. */
  @ParameterizedTest
  @EnumSource(names = {"F32", "F64"})
  void softmax_lanesFarFromEachOther_areWithinTheirError(DType type) {
    double step = type == DType.F32 ? 4 : 30; // down to results that are subnormal, and 0
    double[] values = new double[1024];
    for (int i = 0; i < values.length; i++) {
      int lane = i / 4 % 32;
      values[i] = lane == 31 ? Double.NEGATIVE_INFINITY : -step * lane - i % 7;
    }
    assertSoftmax(type, values);
  }

  /** As attention masks what comes later. */
  @ParameterizedTest
  @EnumSource(names = {"F32", "F64", "F16", "BF16"})
  void softmax_lanesOfNothingButMinusInfinity_getZeros(DType type) {
    for (double max : new double[] {-1000, -242, -64.5, -10, 0, 10, 64.5, 242, 1000}) {
      double[] values = new double[64];
      Arrays.fill(values, Double.NEGATIVE_INFINITY);
      Arrays.fill(values, 0, 4, max);
      assertSoftmax(type, values);
    }
  }

  private void assertSoftmax(DType type, double[] values) {
    if (!isTried(type)) {
      return;
    }
    double[] row = map(values, value -> number(type, bits(type, value)));
    DeviceTensor x = numbers(type, row, 1, row.length);
    ResultTensor out = result(type, 1, row.length);
    ResultTensor logarithms = result(type, 1, row.length);
    operations.rows().softmax(x, out.tensor(), stream);
    operations.rows().logSoftmax(x, logarithms.tensor(), stream);
    double[] found = numbers(out);
    double[] foundLogarithms = numbers(logarithms);
    double max = Arrays.stream(row).max().orElseThrow();
    double sum = sum(Arrays.stream(row).map(v -> Math.exp(v - max)));
    double mean =
        sum(
                Arrays.stream(row)
                    .filter(v -> v > Double.NEGATIVE_INFINITY)
                    .map(v -> (max - v) * Math.exp(v - max)))
            / sum;
    double u = type == DType.F64 ? 0x1p-53 : 0x1p-24;
    for (int i = 0; i < row.length; i++) {
      double exact = Math.exp(row[i] - max) / sum;
      double bound = exact == 0 ? 0 : ((32 + mean + max - row[i]) * u + roundoff(type)) * exact;
      assertThat(found[i])
          .as("%s of %s, %d", type, max, i)
          .isBetween(exact - bound - least(type), exact + bound + least(type));
      double logarithm = row[i] - max - Math.log(sum);
      if (row[i] == Double.NEGATIVE_INFINITY) {
        assertThat(foundLogarithms[i]).isEqualTo(Double.NEGATIVE_INFINITY);
      } else {
        double most =
            (32 + mean + max - row[i] + 2 * Math.log(sum)) * u
                + roundoff(type) * Math.abs(logarithm);
        assertThat(foundLogarithms[i])
            .as("logarithm, %s of %s, %d", type, max, i)
            .isBetween(logarithm - most, logarithm + most);
      }
    }
  }

  @Test
  void softmax_intoItsInput_isRight() {
    for (long n : new long[] {64, 67}) {
      ResultTensor x = result(DType.F32, 3, n);
      x.tensor().buffer().copyFrom(new float[(int) (3 * n)]);
      operations.rows().softmax(x.tensor(), x.tensor(), stream);
      assertThat(numbers(x)).containsOnly((double) (1 / (float) n));
    }
  }

  @Test
  void softmax_noElements_writesNothing() {
    ResultTensor none = result(DType.F32, 3, 0);
    operations.rows().softmax(none.tensor(), none.tensor(), stream);
    operations.rows().layerNorm(none.tensor(), null, null, 0, none.tensor(), stream);
    assertThat(bits(none)).isEmpty();
  }

  @Test
  void rows_whatDoesNotFit_throws() {
    Rows rows = operations.rows();
    DeviceTensor x = numbers(DType.F32, new double[6], 2, 3);
    DeviceTensor three = numbers(DType.F32, new double[3], 3);
    DeviceTensor one = numbers(DType.F32, new double[1]);
    DeviceTensor integers = numbers(DType.I64, new double[6], 2, 3);
    assertThatThrownBy(() -> rows.softmax(integers, integers, stream))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("softmax: x is i64 and must be f32, f64, f16 or bf16");
    assertThatThrownBy(() -> rows.logSoftmax(one, one, stream))
        .hasMessage("log-softmax: x has no axis");
    assertThatThrownBy(() -> rows.softmax(x, three, stream))
        .hasMessage("softmax: out has the shape [3] and must have [2, 3]");
    assertThatThrownBy(() -> rows.rmsNorm(x, x, 0, x, stream))
        .hasMessage("RMS norm: weight has the shape [2, 3] and must have [3]");
    assertThatThrownBy(() -> rows.layerNorm(x, null, three, -1, x, stream))
        .hasMessage("layer norm: epsilon must not be negative, and is -1.0");
  }
}
