// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.kernels.Arithmetic.FloatingPoint;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The order of rows, against Java's stable sort. */
abstract class ArgsortContract extends OperationsContract {
  private static final EnumSet<DType> SAMPLES = EnumSet.of(DType.F32, DType.BF16, DType.I64);

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(List.of(Family.ARGSORT)).units().stream()
        .filter(unit -> SAMPLES.stream().anyMatch(type -> unit.type().equals(type.toString())))
        .toList();
  }

  private boolean isTried(DType type) {
    return isRealGpu() || SAMPLES.contains(type);
  }

  /** Compares bits of elements: NaNs are equal and greatest, and -0 equals +0. */
  private static Comparator<Long> comparator(DType type) {
    if (Arithmetic.of(type) instanceof FloatingPoint format) {
      // Java has -0 before +0, and NaN last.
      return Comparator.comparingDouble(bits -> format.decode(bits) + 0.0);
    }
    int spare = 64 - 8 * type.bytes();
    boolean signed = type == DType.I32 || type == DType.I64;
    return Comparator.comparingLong(bits -> signed ? bits << spare >> spare : bits);
  }

  private void assertSorted(DType type, long[] elements, long... shape) {
    int row = (int) shape[shape.length - 1];
    DeviceTensor x = tensor(type, i -> elements[(int) i], shape);
    for (SortOrder order : SortOrder.values()) {
      Comparator<Long> ascending = comparator(type);
      Comparator<Long> wanted = order == SortOrder.ASCENDING ? ascending : ascending.reversed();
      ResultTensor out = result(DType.I64, shape);
      operations.argsort(order, x, out.tensor(), stream);
      long[] expected =
          row == 0
              ? new long[0]
              : IntStream.range(0, elements.length / row)
                  .boxed()
                  .flatMap(
                      r ->
                          LongStream.range(0, row)
                              .boxed()
                              .sorted(
                                  Comparator.comparing(
                                      i -> elements[r * row + i.intValue()], wanted)))
                  .mapToLong(Long::longValue)
                  .toArray();
      assertThat(bits(out)).as("%s of %s, %s", order, type, x).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @EnumSource
  void argsort_awkwardValues_isStable(DType type) {
    if (!isTried(type)) {
      return;
    }
    List<Long> values = AwkwardValues.of(type);
    Random random = new Random(1);
    long[] elements =
        random.ints(3 * 300, 0, values.size()).mapToLong(i -> values.get(i)).toArray();
    assertSorted(type, elements, 3, 300);
  }

  @Test
  void argsort_anyRowSize_isRight() {
    int[] sizes = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 2048, 2049, 5000};
    for (int size : sizes) {
      for (int rows : new int[] {0, 1, 5}) {
        Random random = new Random(size);
        // Few values, so that many are equal.
        long[] elements =
            random
                .ints((long) rows * size, 0, Math.max(1, size / 3))
                .mapToLong(value -> bits(DType.F32, value - 20))
                .toArray();
        assertSorted(DType.F32, elements, rows, size);
      }
    }
  }

  @Test
  void argsort_manyShortRows_isRight() {
    int rows = isRealGpu() ? 100_003 : 303;
    long[] elements = new Random(1).longs((long) rows * 7).toArray();
    assertSorted(DType.I64, elements, rows, 7);
  }

  @Test
  void argsort_sortedAndReversed_isRight() {
    int count = isRealGpu() ? (1 << 20) + 7 : 3000;
    assertSorted(DType.I64, LongStream.range(0, count).toArray(), count);
    assertSorted(DType.I64, LongStream.range(0, count).map(i -> -i).toArray(), count);
    assertSorted(DType.I64, new long[count], count);
  }

  @Test
  void argsort_longRows_isRight() {
    int count = isRealGpu() ? (1 << 20) + 7 : 3500;
    Random random = new Random(1);
    long[] elements = random.ints(2L * count).mapToLong(i -> i & 0xffffffffL).toArray();
    assertSorted(DType.F32, elements, 2, count);
  }

  @Test
  void argsort_whatDoesNotFit_namesTheTensor() {
    DeviceTensor x = numbers(DType.F32, new double[6], 2, 3);
    DeviceTensor out = numbers(DType.I64, new double[6], 2, 3);
    assertThatThrownBy(() -> operations.argsort(SortOrder.ASCENDING, x, x, stream))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("argsort: out is f32 and must be i64");
    assertThatThrownBy(() -> operations.argsort(SortOrder.ASCENDING, out, out, stream))
        .hasMessage("argsort: out overlaps x");
    DeviceTensor columns = x.withLayout(Layout.of(3, 2).transpose(0, 1));
    assertThatThrownBy(() -> operations.argsort(SortOrder.ASCENDING, columns, out, stream))
        .hasMessage("argsort: x must be contiguous, and is [2, 3] with strides [1, 2]");
    DeviceTensor one = x.withLayout(Layout.of());
    assertThatThrownBy(() -> operations.argsort(SortOrder.ASCENDING, one, out, stream))
        .hasMessage("argsort: x has no dimension 0: it has 0, counted from 0");
  }
}
