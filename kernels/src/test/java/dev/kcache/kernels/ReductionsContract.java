// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.kernels.Arithmetic.FloatingPoint;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reductions against sums without rounding and plain comparisons. */
abstract class ReductionsContract extends OperationsContract {
  private static final EnumSet<DType> SAMPLES = EnumSet.of(DType.F32, DType.BF16, DType.U32);

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(List.of(Family.REDUCE)).units().stream()
        .filter(unit -> SAMPLES.stream().anyMatch(type -> unit.type().equals(type.toString())))
        .toList();
  }

  private boolean isTried(DType type) {
    return isRealGpu() || SAMPLES.contains(type);
  }

  /** A layout and the axes to reduce. */
  @SuppressWarnings("ArrayRecordComponent") // Nothing compares them.
  private record Case(Layout layout, int... axes) {}

  private List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    long[] lengths = {1, 2, 31, 32, 33, 63, 65, 511, 512, 513, 1023, 4096};
    for (long n : lengths) {
      cases.add(new Case(Layout.of(3, n), 1));
      cases.add(new Case(Layout.of(n, 3), 0));
    }
    cases.add(new Case(Layout.of(16_385)));
    cases.add(new Case(Layout.of(2, 16_389), 1));
    cases.add(new Case(Layout.of(520, 37), 0));
    cases.add(new Case(Layout.of(9, 259), 0));
    cases.add(new Case(Layout.of(3, 5, 7, 8), 0, 2));
    cases.add(new Case(Layout.of(3, 5, 7, 8), 3, 1));
    cases.add(new Case(Layout.of(3, 5, 7, 8), 0, 3));
    cases.add(new Case(Layout.of(4, 1, 8), 1));
    cases.add(new Case(Layout.of()));
    cases.add(new Case(Layout.of(70, 50).transpose(0, 1), 1));
    cases.add(new Case(Layout.of(70, 50).transpose(0, 1), 0));
    cases.add(new Case(Layout.of(70, 51).slice(1, 1, 46), 0, 1));
    cases.add(new Case(Layout.strided(new long[] {40, 6}, new long[] {-6, -1}, 239), 0));
    cases.add(new Case(Layout.strided(new long[] {3, 100}, new long[] {1, 0}, 2), 1));
    cases.add(new Case(Layout.strided(new long[] {30, 5}, new long[] {1, 0}, 0), 0));
    if (isRealGpu()) {
      cases.add(new Case(Layout.of((1 << 20) + 7)));
      cases.add(new Case(Layout.of(3, (1 << 20) + 5), 1));
      cases.add(new Case(Layout.of((1 << 18) + 3, 5), 0));
      cases.add(new Case(Layout.of(1000, 1021), 0));
      cases.add(new Case(Layout.of(100_003, 9), 1));
      cases.add(new Case(Layout.of(50, 30, 999), 0, 2));
    }
    return cases;
  }

  @ParameterizedTest
  @EnumSource
  void reduce_anyLayout_isRight(DType type) {
    if (!isTried(type)) {
      return;
    }
    for (Case each : cases()) {
      long[] values = new Random(7).longs(places(each.layout())).toArray();
      LongUnaryOperator bits = place -> sample(type, values[(int) place]);
      DeviceTensor x = tensor(type, bits, each.layout());
      for (Reduction reduction : Reduction.values()) {
        if (reduction != Reduction.MEAN || type.isFloatingPoint()) {
          check(reduction, x, bits, each.axes());
        }
      }
      closeBuffers();
    }
  }

  private static int places(Layout layout) {
    return layout.count() == 0 ? 0 : (int) layout.last() + 1;
  }

  /**
   * Returns a number of either sign whose exponent varies, or any integer; few values are equal.
   */
  private static long sample(DType type, long random) {
    return Arithmetic.of(type) instanceof FloatingPoint format
        ? format.encode(Math.scalb((double) (random >> 44), (int) (random & 7) - 20))
        : random & -1L >>> (64 - 8 * type.bytes());
  }

  private void check(Reduction reduction, DeviceTensor x, LongUnaryOperator bits, int[] axes) {
    int[] along = axes.length == 0 ? IntStream.range(0, x.layout().rank()).toArray() : axes;
    Lines lines = Lines.along(x.layout(), along);
    DType type = reduction.result(x.type());
    ResultTensor out = result(type, lines.starts().shape());
    ResultTensor again = result(type, Lines.withOnes(x.layout(), along));
    operations.reductions().reduce(reduction, x, out.tensor(), stream, axes);
    operations.reductions().reduce(reduction, x, again.tensor(), stream, axes);
    long[] found = bits(out);
    assertThat(bits(again)).isEqualTo(found);
    long[] starts = offsets(lines.starts());
    long[] steps = offsets(lines.line());
    for (int i = 0; i < starts.length; i++) {
      long start = starts[i] - x.layout().offset();
      long[] line = LongStream.of(steps).map(step -> bits.applyAsLong(start + step)).toArray();
      checkLine(reduction, x, line, found[i], "%s of %s, %d".formatted(reduction, x, i));
    }
  }

  private static long[] offsets(Layout layout) {
    long[] offsets = {layout.offset()};
    for (int d = 0; d < layout.rank(); d++) {
      long extent = layout.extent(d);
      long stride = layout.stride(d);
      offsets =
          LongStream.of(offsets)
              .flatMap(at -> LongStream.range(0, extent).map(k -> at + k * stride))
              .toArray();
    }
    return offsets;
  }

  private static void checkLine(
      Reduction reduction, DeviceTensor x, long[] line, long found, String name) {
    DType type = x.type();
    double[] numbers = LongStream.of(line).mapToDouble(bits -> number(type, bits)).toArray();
    switch (reduction) {
      case SUM, MEAN -> checkSum(reduction, type, numbers, line, found, name);
      case MIN, MAX -> {
        double sign = reduction == Reduction.MIN ? -1 : 1;
        double most = Arrays.stream(numbers).map(v -> v * sign).max().orElseThrow() * sign;
        assertThat(number(type, found)).as(name).isEqualTo(Double.valueOf(most));
      }
      case ARGMIN, ARGMAX -> {
        int best = 0;
        for (int i = 1; i < line.length; i++) {
          double more = numbers[i] - numbers[best];
          if (reduction == Reduction.ARGMIN ? more < 0 : more > 0) {
            best = i;
          }
        }
        assertThat(found).as(name).isEqualTo(best);
      }
    }
  }

  private static void checkSum(
      Reduction reduction, DType type, double[] numbers, long[] line, long found, String name) {
    if (!type.isFloatingPoint()) {
      long exact = LongStream.of(line).map(bits -> integer(type, bits)).sum();
      assertThat(found).as(name).isEqualTo(exact);
      return;
    }
    BigDecimal sum = BigDecimal.ZERO;
    double size = 0;
    for (double number : numbers) {
      sum = sum.add(new BigDecimal(number));
      size += Math.abs(number);
    }
    double divisor = reduction == Reduction.MEAN ? line.length : 1;
    double exact = sum.doubleValue() / divisor;
    double unit = type == DType.F64 ? 0x1p-53 : 0x1p-24;
    double last = type == DType.BF16 ? 0x1p-8 : type == DType.F16 ? 0x1p-11 : unit;
    int levels = line.length <= 512 ? 1 : 2;
    double bound = 25 * levels * unit * size / divisor + last * Math.abs(exact);
    assertThat(number(type, found) - exact).as(name).isBetween(-bound, bound);
  }

  private static long integer(DType type, long bits) {
    int spare = 64 - 8 * type.bytes();
    return type == DType.I32 ? bits << spare >> spare : bits;
  }

  @ParameterizedTest
  @EnumSource(names = {"F32", "F64", "F16", "BF16"})
  void reduce_specialFloats_areAsDocumented(DType type) {
    if (!isTried(type)) {
      return;
    }
    double nan = Double.NaN;
    double infinity = Double.POSITIVE_INFINITY;
    check(type, new double[] {1, nan, 3, nan}, nan, nan, nan, 1, 1);
    check(type, new double[] {1, -nan, -infinity, infinity}, nan, nan, nan, 1, 1);
    check(type, new double[] {-0.0, 0.0, -0.0, 0.0}, 0, -0.0, 0.0, 0, 0);
    check(type, new double[] {0.0, -0.0, 0.0, -0.0}, 0, -0.0, 0.0, 0, 0);
    check(type, new double[] {5, infinity, infinity, 2}, infinity, 2, infinity, 3, 1);
    check(type, new double[] {-infinity, -infinity, -1, -infinity}, -infinity, -infinity, -1, 0, 2);
    check(type, new double[] {infinity, infinity, infinity}, infinity, infinity, infinity, 0, 0);
    check(type, new double[] {-infinity, infinity, 1}, nan, -infinity, infinity, 0, 1);
    // Elements 3 and 35 are in the same place of a lane's packs.
    check(type, lineOf128(-1, nan, nan), nan, nan, nan, 3, 3);
    check(type, lineOf128(-1, -0.0, 0.0), -126, -1, 0.0, 0, 3);
    check(type, lineOf128(1, -0.0, 0.0), 126, -0.0, 1, 3, 0);
  }

  private static double[] lineOf128(double others, double third, double thirtyFifth) {
    double[] line = new double[128];
    Arrays.fill(line, others);
    line[3] = third;
    line[35] = thirtyFifth;
    return line;
  }

  @SuppressWarnings("EnumOrdinal") // The expected numbers are in their order.
  private void check(
      DType type, double[] line, double sum, double min, double max, long argmin, long argmax) {
    DeviceTensor x = numbers(type, line, line.length);
    double[] expected = {sum, sum / line.length, min, max, argmin, argmax};
    for (Reduction reduction : Reduction.values()) {
      ResultTensor out = result(reduction.result(type));
      operations.reductions().reduce(reduction, x, out.tensor(), stream);
      assertThat(numbers(out)[0])
          .as("%s of %s", reduction, Arrays.toString(line))
          .isEqualTo(Double.valueOf(expected[reduction.ordinal()]));
    }
  }

  @Test
  void reduce_extremeIntegers_areKept() {
    long[] lowest = {0, 0, 0};
    long[] highest = {0xffffffffL, 0xffffffffL};
    assertThat(extremes(lowest)).containsExactly(0, 0, 0, 0);
    assertThat(extremes(highest)).containsExactly(0xffffffffL, 0xffffffffL, 0, 0);
  }

  private long[] extremes(long[] line) {
    DeviceTensor x = tensor(DType.U32, i -> line[(int) i], line.length);
    return EnumSet.range(Reduction.MIN, Reduction.ARGMAX).stream()
        .mapToLong(
            reduction -> {
              ResultTensor out = result(reduction.result(DType.U32));
              operations.reductions().reduce(reduction, x, out.tensor(), stream, 0);
              return bits(out)[0];
            })
        .toArray();
  }

  @Test
  void reduce_noElements_isZeroOrNan() {
    DeviceTensor x = tensor(DType.F32, i -> 0, 3, 0);
    ResultTensor out = result(DType.F32, 3);
    operations.reductions().reduce(Reduction.SUM, x, out.tensor(), stream, 1);
    assertThat(numbers(out)).containsExactly(0, 0, 0);
    operations.reductions().reduce(Reduction.MEAN, x, out.tensor(), stream, 1);
    assertThat(numbers(out)).isEqualTo(new double[] {Double.NaN, Double.NaN, Double.NaN});
    ResultTensor none = result(DType.F32, 0);
    operations.reductions().reduce(Reduction.MAX, x, none.tensor(), stream, 0);
    assertThat(numbers(none)).isEmpty();
    assertThatThrownBy(
            () -> operations.reductions().reduce(Reduction.MAX, x, out.tensor(), stream, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("max: x has no element along the axes");
  }

  @Test
  void reduce_whatDoesNotFit_throws() {
    Reductions reductions = operations.reductions();
    DeviceTensor x = tensor(DType.F32, i -> 0, 3, 4);
    DeviceTensor integers = tensor(DType.I64, i -> 0, 3, 4);
    DeviceTensor out = result(DType.F32, 3).tensor();
    assertThatThrownBy(() -> reductions.reduce(Reduction.MAX, x, out, stream, 0))
        .hasMessage("max: out has the shape [3] and must have [4]");
    assertThatThrownBy(() -> reductions.reduce(Reduction.ARGMAX, x, out, stream, 1))
        .hasMessage("argmax: out is f32 and must be i64");
    assertThatThrownBy(() -> reductions.reduce(Reduction.MEAN, integers, out, stream, 1))
        .hasMessage("mean: x is i64 and must be f32, f64, f16 or bf16");
    assertThatThrownBy(() -> reductions.reduce(Reduction.SUM, x, out, stream, 1, 1))
        .hasMessage("sum: axis 1 is given twice");
    assertThatThrownBy(() -> reductions.reduce(Reduction.SUM, x, out, stream, 2))
        .hasMessage("sum: x has no dimension 2: it has 2, counted from 0");
    DeviceTensor inside = x.withLayout(Layout.strided(new long[] {3}, new long[] {1}, 1));
    assertThatThrownBy(() -> reductions.reduce(Reduction.SUM, x, inside, stream, 1))
        .hasMessage("sum: out overlaps x");
  }
}
