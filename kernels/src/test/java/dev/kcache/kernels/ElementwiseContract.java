// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.kernels.Arithmetic.FloatingPoint;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operations that compute each element by itself. {@link CatalogueContract} has more of binary. */
abstract class ElementwiseContract extends OperationsContract {
  private static final EnumSet<DType> SAMPLES = EnumSet.of(DType.F32, DType.BF16, DType.I64);

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(List.of(Family.BINARY, Family.COMPARE, Family.WHERE)).units().stream()
        .filter(unit -> SAMPLES.stream().anyMatch(type -> unit.type().equals(type.toString())))
        .toList();
  }

  private boolean isTried(DType type) {
    return isRealGpu() || SAMPLES.contains(type);
  }

  @ParameterizedTest
  @EnumSource
  void compare_everyPairOfAwkwardValues_isJavas(DType type) {
    if (!isTried(type)) {
      return;
    }
    long[] values = AwkwardValues.of(type).stream().mapToLong(Long::longValue).toArray();
    int n = values.length;
    DeviceTensor column = tensor(type, i -> values[(int) i], n, 1);
    DeviceTensor row = tensor(type, i -> values[(int) i], n);
    for (Comparison comparison : Comparison.values()) {
      ResultTensor strided = result(DType.U8, n, n);
      ResultTensor plain = result(DType.U8, n, n);
      operations.compare(comparison, column, row, strided.tensor(), stream);
      operations.compare(
          comparison,
          tensor(type, i -> values[(int) i / n], n, n),
          tensor(type, i -> values[(int) i % n], n, n),
          plain.tensor(),
          stream);
      long[] expected =
          LongStream.range(0, (long) n * n)
              .map(i -> compare(comparison, type, values[(int) i / n], values[(int) i % n]))
              .toArray();
      assertThat(bits(strided)).as("%s of %s", comparison, type).isEqualTo(expected);
      assertThat(bits(plain)).as("%s of %s", comparison, type).isEqualTo(expected);
    }
  }

  private static long compare(Comparison comparison, DType type, long left, long right) {
    boolean unordered = false;
    int order;
    if (Arithmetic.of(type) instanceof FloatingPoint format) {
      double a = format.decode(left);
      double b = format.decode(right);
      unordered = Double.isNaN(a) || Double.isNaN(b);
      order = a < b ? -1 : a > b ? 1 : 0;
    } else {
      order = integer(type, left).compareTo(integer(type, right));
    }
    boolean holds =
        switch (comparison) {
          case EQ -> !unordered && order == 0;
          case NE -> unordered || order != 0;
          case LT -> !unordered && order < 0;
          case LE -> !unordered && order <= 0;
          case GT -> !unordered && order > 0;
          case GE -> !unordered && order >= 0;
        };
    return holds ? 1 : 0;
  }

  private static BigInteger integer(DType type, long bits) {
    int spare = 64 - 8 * type.bytes();
    boolean signed = type == DType.I32 || type == DType.I64;
    return signed ? BigInteger.valueOf(bits << spare >> spare) : BigInteger.valueOf(bits);
  }

  @ParameterizedTest
  @EnumSource
  void where_anyLayout_copiesBits(DType type) {
    if (!isTried(type)) {
      return;
    }
    List<Long> values = AwkwardValues.of(type);
    long[] counts = {0, 1, 31, 32, 33, 63, 64, 65, 1023, 1025};
    for (long count : counts) {
      DeviceTensor condition = tensor(DType.U8, i -> i % 3 == 0 ? 0 : i % 256, count);
      DeviceTensor left = tensor(type, i -> values.get((int) (i % values.size())), count);
      DeviceTensor right = tensor(type, i -> values.get((int) ((i + 7) % values.size())), 1);
      ResultTensor out = count % 2 == 0 ? result(type, count) : shiftedResult(type, count);
      operations.where(condition, left, right, out.tensor(), stream);
      assertThat(bits(out))
          .isEqualTo(
              LongStream.range(0, count)
                  .map(
                      i ->
                          i % 3 == 0 || i % 256 == 0
                              ? values.get(7 % values.size())
                              : values.get((int) (i % values.size())))
                  .toArray());
    }
  }

  @Test
  void add_transposedAndRepeated_pairsByIndex() {
    DeviceTensor columns =
        tensor(DType.F32, i -> bits(DType.F32, (double) i), Layout.of(5, 3).transpose(0, 1));
    DeviceTensor row = numbers(DType.F32, new double[] {100, 200, 300, 400, 500}, 5);
    ResultTensor out = result(DType.F32, 3, 5);
    operations.add(columns, row, out.tensor(), stream);
    assertThat(numbers(out))
        .containsExactly(100, 203, 306, 409, 512, 101, 204, 307, 410, 513, 102, 205, 308, 411, 514);
  }

  @Test
  void div_intoItsOperand_isRight() {
    ResultTensor x = result(DType.F32, 1000);
    x.tensor().buffer().copyFrom(Elements.bytes(DType.F32, 1000, i -> bits(DType.F32, (double) i)));
    DeviceTensor four = numbers(DType.F32, new double[] {4}, 1);
    operations.div(x.tensor(), four, x.tensor(), stream);
    double[] expected = new double[1000];
    Arrays.setAll(expected, i -> i / 4.0);
    assertThat(numbers(x)).isEqualTo(expected);
  }

  @Test
  void add_whatDoesNotFit_namesTheOperationAndTheTensor() {
    DeviceTensor two = numbers(DType.F32, new double[2], 2);
    DeviceTensor three = numbers(DType.F32, new double[3], 3);
    DeviceTensor integers = numbers(DType.I64, new double[3], 3);
    assertThatThrownBy(() -> operations.add(two, three, three, stream))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("add: left does not fit out: the shape [2] does not broadcast to [3]");
    assertThatThrownBy(() -> operations.add(three, integers, three, stream))
        .hasMessage("add: right is i64 and must be f32");
    assertThatThrownBy(() -> operations.compare(Comparison.EQ, three, three, three, stream))
        .hasMessage("eq: out is f32 and must be u8");
    DeviceTensor backwards = three.withLayout(Layout.strided(new long[] {3}, new long[] {-1}, 2));
    assertThatThrownBy(() -> operations.add(three, three, backwards, stream))
        .hasMessage("add: out must be contiguous, and is [3] with strides [-1] at 2");
    assertThatThrownBy(() -> operations.sub(backwards, two, three, stream))
        .hasMessage("sub: out overlaps left");
  }

  /** A GPU's access to such memory would be an error that lasts. */
  @ParameterizedTest
  @EnumSource
  void tensor_memoryThatElementsCannotStartIn_isRefused(DType type) {
    DeviceBuffer whole = allocate(256);
    for (int start = 1; start <= 8; start++) {
      DeviceBuffer part = whole.slice(start, 128);
      assertThat(DeviceTensor.of(part, type, 0).start()).isNotNull();
      assertThat(DeviceTensor.of(whole.slice(start, 0), type, 0).start()).isNotNull();
      if (start % type.bytes() == 0) {
        assertThat(DeviceTensor.of(part, type, 3).buffer()).isSameAs(part);
      } else {
        assertThatThrownBy(() -> DeviceTensor.of(part, type, 3))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage(
                "a tensor of %s elements must start at an address that %d divides: slice the buffer at one, or copy it to one",
                type, type.bytes());
      }
    }
  }
}
