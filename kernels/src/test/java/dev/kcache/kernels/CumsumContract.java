// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cumulative sums against sums without rounding, within the error that is stated. */
abstract class CumsumContract extends OperationsContract {
  private static final EnumSet<DType> SAMPLES = EnumSet.of(DType.F32, DType.BF16, DType.U8);

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(List.of(Family.CUMSUM)).units().stream()
        .filter(unit -> SAMPLES.stream().anyMatch(type -> unit.type().equals(type.toString())))
        .toList();
  }

  /** A layout and an axis of it. */
  private record Case(Layout layout, int axis) {}

  private List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (long n : new long[] {1, 2, 31, 32, 33, 511, 512, 513, 1025, 4097}) {
      cases.add(new Case(Layout.of(n), 0));
      cases.add(new Case(Layout.of(3, n), 1));
      cases.add(new Case(Layout.of(n, 3), 0));
    }
    cases.add(new Case(Layout.of(3, 0), 0));
    cases.add(new Case(Layout.of(3, 0), 1));
    cases.add(new Case(Layout.of(130, 70), 0));
    cases.add(new Case(Layout.of(300, 5), 1));
    cases.add(new Case(Layout.of(3, 37, 5), 1));
    cases.add(new Case(Layout.of(70, 50).transpose(0, 1), 1));
    cases.add(new Case(Layout.of(70, 50).transpose(0, 1), 0));
    cases.add(new Case(Layout.of(1, 40).broadcastTo(5, 40), 0));
    cases.add(new Case(Layout.strided(new long[] {4, 40}, new long[] {-40, -1}, 159), 1));
    if (isRealGpu()) {
      cases.add(new Case(Layout.of((1 << 20) + 7), 0));
      cases.add(new Case(Layout.of(1000, 1023), 0));
    }
    return cases;
  }

  @ParameterizedTest
  @EnumSource
  void cumsum_anyLayout_isWithinItsError(DType type) {
    if (!isRealGpu() && !SAMPLES.contains(type)) {
      return;
    }
    DType sums = Reduction.SUM.result(type);
    for (Case each : cases()) {
      Layout layout = each.layout();
      int places = layout.count() == 0 ? 0 : (int) layout.last() + 1;
      double[] memory = new Random(places).doubles(places, -100, 100).toArray();
      DeviceTensor x = tensor(type, place -> bits(type, memory[(int) place]), layout);
      ResultTensor out = result(sums, layout.shape());
      ResultTensor shifted = shiftedResult(sums, layout.shape());
      operations.reductions().cumsum(x, out.tensor(), stream, each.axis());
      operations.reductions().cumsum(x, shifted.tensor(), stream, each.axis());
      long[] found = bits(out);
      assertThat(bits(shifted)).as("%s, again", each).isEqualTo(found);
      check(each, type, memory, found);
      closeBuffers();
    }
  }

  private static void check(Case each, DType type, double[] memory, long[] found) {
    Layout layout = each.layout();
    Layout rows = Layout.of(layout.shape());
    Lines in = Lines.along(layout, each.axis());
    Lines out = Lines.along(rows, each.axis());
    DType sums = Reduction.SUM.result(type);
    double last = type == DType.BF16 ? 0x1p-8 : type == DType.F16 ? 0x1p-11 : 0;
    for (int line = 0; line < in.starts().count() && layout.count() > 0; line++) {
      long from = place(in.starts(), line);
      long to = place(out.starts(), line);
      BigDecimal sum = BigDecimal.ZERO;
      double size = 0;
      for (int j = 0; j < layout.extent(each.axis()); j++) {
        double number =
            number(type, bits(type, memory[(int) (from + j * layout.stride(each.axis()))]));
        sum = sum.add(new BigDecimal(number), MathContext.UNLIMITED);
        size += Math.abs(number);
        double exact = sum.doubleValue();
        double unit = sums == DType.I64 ? 0 : type == DType.F64 ? 0x1p-53 : 0x1p-24;
        double bound = (13 + (j + 1) / 32.0) * unit * size + last * Math.abs(exact);
        double is = number(sums, found[(int) (to + j * rows.stride(each.axis()))]);
        assertThat(is - exact).as("%s, %d, %d", each, line, j).isBetween(-bound, bound);
      }
    }
  }

  private static long place(Layout layout, long index) {
    long place = layout.offset();
    long rest = index;
    for (int d = layout.rank() - 1; d >= 0; d--) {
      place += rest % layout.extent(d) * layout.stride(d);
      rest /= layout.extent(d);
    }
    return place;
  }

  @Test
  void cumsum_intoItsInput_isRight() {
    ResultTensor x = result(DType.F32, 5);
    x.tensor().buffer().copyFrom(new float[] {1, 2, 3, 4, 5});
    operations.reductions().cumsum(x.tensor(), x.tensor(), stream, 0);
    assertThat(numbers(x)).containsExactly(1, 3, 6, 10, 15);
  }

  @Test
  void cumsum_whatDoesNotFit_throws() {
    DeviceTensor x = numbers(DType.U8, new double[3], 3);
    DeviceTensor out = numbers(DType.I64, new double[4], 4);
    assertThatThrownBy(() -> operations.reductions().cumsum(x, x, stream, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("cumsum: out is u8 and must be i64");
    assertThatThrownBy(() -> operations.reductions().cumsum(x, out, stream, 0))
        .hasMessage("cumsum: out has the shape [4] and must have [3]");
  }
}
