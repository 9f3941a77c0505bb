// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.kernels.Arithmetic.FloatingPoint;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Copies, fills and {@code x * scale + shift}. */
abstract class CopiesContract extends OperationsContract {
  private static final byte UNTOUCHED = 0x5a;

  /** Of each size of elements that are tried on a stand-in, a type that is not its unit's. */
  private static final EnumSet<DType> COPIED = EnumSet.of(DType.BF16, DType.F32);

  private static final EnumSet<DType> SCALED = EnumSet.of(DType.F32, DType.I64);

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(List.of(Family.COPY, Family.AFFINE)).units().stream()
        .filter(
            unit ->
                unit.family() == Family.COPY
                    ? COPIED.stream().anyMatch(t -> unit.type().equals(Copies.word(t).toString()))
                    : SCALED.stream().anyMatch(t -> unit.type().equals(t.toString())))
        .toList();
  }

  private boolean isCopied(DType type) {
    return isRealGpu() || COPIED.contains(type);
  }

  @ParameterizedTest
  @EnumSource
  void copy_randomLayouts_areCopiedElementByElement(DType type) {
    if (!isCopied(type)) {
      return;
    }
    Random random = new Random(type.bytes());
    for (int i = 0; i < (isRealGpu() ? 400 : 60); i++) {
      long[] shape = shape(random, random.nextInt(Layout.MAX_RANK + 1));
      Layout out = spread(random, shape);
      long[] repeated = shape.clone();
      for (int d = 0; d < shape.length; d++) {
        repeated[d] = random.nextInt(4) == 0 ? 1 : shape[d];
      }
      int dropped = 0;
      while (dropped < shape.length && repeated[dropped] == 1 && random.nextBoolean()) {
        dropped++;
      }
      checkCopy(type, spread(random, Arrays.copyOfRange(repeated, dropped, shape.length)), out);
    }
  }

  @ParameterizedTest
  @EnumSource
  void copy_transposed_areCopiedElementByElement(DType type) {
    if (!isCopied(type)) {
      return;
    }
    long[][] shapes = {
      {1, 1}, {31, 33}, {64, 65}, {16, 16}, {15, 40}, {1025, 3}, {3, 257}, {130, 70}
    };
    for (long[] shape : shapes) {
      checkCopy(type, Layout.of(shape[1], shape[0]).transpose(0, 1), Layout.of(shape));
      checkCopy(type, Layout.of(shape), Layout.of(shape[1], shape[0]).transpose(0, 1));
    }
    // With dimensions around, and one that lies between the two, or backwards.
    checkCopy(type, Layout.of(3, 33, 31).transpose(1, 2), Layout.of(3, 31, 33));
    checkCopy(type, Layout.of(33, 3, 31).permute(1, 2, 0), Layout.of(3, 31, 33));
    checkCopy(type, Layout.of(33, 2, 31, 3).permute(1, 2, 3, 0), Layout.of(2, 31, 3, 33));
    checkCopy(
        type, Layout.of(1, 33, 31).broadcastTo(2, 33, 31).transpose(1, 2), Layout.of(2, 31, 33));
    Layout backwards = Layout.strided(new long[] {20, 70}, new long[] {-1, -20}, 20L * 70 - 1);
    checkCopy(type, backwards, Layout.of(20, 70));
    if (isRealGpu()) {
      checkCopy(type, Layout.of(5, 1031, 1021).transpose(1, 2), Layout.of(5, 1021, 1031));
    }
  }

  private static long[] shape(Random random, int rank) {
    long[] shape = new long[rank];
    long left = 2000;
    for (int d = rank - 1; d >= 0; d--) {
      // Now and then none at all.
      shape[d] = random.nextInt(60) == 0 ? 0 : 1 + random.nextInt((int) Math.min(left, 40));
      left = Math.max(1, left / Math.max(1, shape[d]));
    }
    return shape;
  }

  /** Returns a layout whose dimensions lie in any order, in any direction, with gaps or none. */
  private static Layout spread(Random random, long[] shape) {
    Integer[] order = IntStream.range(0, shape.length).boxed().toArray(Integer[]::new);
    if (random.nextBoolean()) {
      Collections.shuffle(Arrays.asList(order), random);
    }
    boolean dense = random.nextBoolean();
    long[] strides = new long[shape.length];
    long stride = dense ? 1 : 1 + random.nextInt(3);
    long offset = dense ? 0 : random.nextInt(5);
    for (int i = shape.length - 1; i >= 0; i--) {
      int d = order[i];
      boolean backwards = random.nextInt(4) == 0;
      strides[d] = backwards ? -stride : stride;
      offset += backwards ? Math.max(0, shape[d] - 1) * stride : 0;
      stride = stride * Math.max(1, shape[d]) + (dense ? 0 : random.nextInt(5));
    }
    return Layout.strided(shape, strides, offset);
  }

  /** Copies, and compares all of the memory of the result with a walk in Java. */
  private void checkCopy(DType type, Layout x, Layout out) {
    long mask = -1L >>> (64 - 8 * type.bytes());
    DeviceTensor from = tensor(type, i -> (i + 1) * 0x9e3779b97f4a7c15L & mask, x);
    int places = out.count() == 0 ? 0 : Math.toIntExact(out.last() + 1);
    byte[] expected = new byte[places * type.bytes()];
    Arrays.fill(expected, UNTOUCHED);
    DeviceBuffer memory = allocate(expected.length);
    memory.fill(UNTOUCHED);
    long[] bits = bits(type, expected);
    Layout repeated = x.broadcastTo(out.shape());
    long[] index = new long[out.rank()];
    for (long i = 0; i < out.count(); i++) {
      bits[Math.toIntExact(place(out, index))] =
          (place(repeated, index) + 1) * 0x9e3779b97f4a7c15L & mask;
      advance(index, out);
    }

    operations.copy(from, new DeviceTensor(memory, type, out), stream);

    stream.synchronize();
    byte[] actual = new byte[expected.length];
    memory.copyTo(actual);
    assertThat(bits(type, actual)).as("%s %s to %s", type, x, out).isEqualTo(bits);
  }

  private static long[] bits(DType type, byte[] memory) {
    Elements elements = Elements.in(type, memory);
    return IntStream.range(0, memory.length / type.bytes()).mapToLong(elements::get).toArray();
  }

  private static long place(Layout layout, long[] index) {
    long place = layout.offset();
    for (int d = 0; d < index.length; d++) {
      place += index[d] * layout.stride(d);
    }
    return place;
  }

  private static void advance(long[] index, Layout layout) {
    for (int d = index.length - 1; d >= 0 && ++index[d] == layout.extent(d); d--) {
      index[d] = 0;
    }
  }

  @Test
  void concat_parts_lieBehindEachOther() {
    DeviceTensor first = numbers(DType.F32, new double[] {1, 2, 3, 4}, 2, 2);
    DeviceTensor second =
        numbers(DType.F32, new double[] {5, 6}, 2).withLayout(Layout.of(2).reshape(2, 1));
    DeviceTensor none = numbers(DType.F32, new double[0], 2, 0);
    ResultTensor columns = result(DType.F32, 2, 3);
    operations.concat(List.of(first, none, second), 1, columns.tensor(), stream);
    assertThat(numbers(columns)).containsExactly(1, 2, 5, 3, 4, 6);

    DeviceTensor turned = first.withLayout(first.layout().transpose(0, 1));
    ResultTensor rows = result(DType.F32, 4, 2);
    operations.concat(List.of(first, turned), 0, rows.tensor(), stream);
    assertThat(numbers(rows)).containsExactly(1, 2, 3, 4, 1, 3, 2, 4);
  }

  @Test
  void concat_whatDoesNotFit_isRefused() {
    DeviceTensor square = numbers(DType.F32, new double[4], 2, 2);
    DeviceTensor row = numbers(DType.F32, new double[3], 1, 3);
    DeviceTensor out = numbers(DType.F32, new double[6], 3, 2);
    assertThatThrownBy(() -> operations.concat(List.of(square, row), 0, out, stream))
        .hasMessage("concat: part 1 has the shape [1, 3] and must have [1, 2]");
    String sum = "concat: the extents of the parts along dimension 0 must add up to 3";
    assertThatThrownBy(() -> operations.concat(List.of(square), 0, out, stream)).hasMessage(sum);
    assertThatThrownBy(() -> operations.concat(List.of(square, square), 0, out, stream))
        .hasMessage(sum);
    assertThatThrownBy(() -> operations.concat(List.of(), 2, out, stream))
        .hasMessage("concat: out has no dimension 2: it has 2, counted from 0");
    DeviceTensor flat = square.withLayout(Layout.of(4));
    assertThatThrownBy(() -> operations.concat(List.of(flat), 0, out, stream))
        .hasMessage("concat: part 0 must have 2 dimensions, and the layout is [4]");
    DeviceTensor below = out.withLayout(out.layout().slice(0, 1, 2));
    assertThatThrownBy(() -> operations.concat(List.of(square, below), 0, out, stream))
        .hasMessage("concat: out overlaps part 1");
  }

  @Test
  void copy_intoOneAnother_isRefused() {
    DeviceTensor three = numbers(DType.F32, new double[3], 3);
    DeviceTensor one = numbers(DType.F32, new double[1], 1);
    DeviceTensor repeated = one.withLayout(Layout.of(1).broadcastTo(3));
    assertThatThrownBy(() -> operations.copy(three, repeated, stream))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "copy: the strides of out must not interlock or repeat; it is [3] with strides [0]");
    DeviceTensor backwards = three.withLayout(Layout.strided(new long[] {3}, new long[] {-1}, 2));
    assertThatThrownBy(() -> operations.copy(backwards, three, stream))
        .hasMessage("copy: out overlaps x");
    assertThatThrownBy(() -> operations.copy(three, one, stream))
        .hasMessage("copy: x does not fit out: the shape [3] does not broadcast to [1]");
  }

  @ParameterizedTest
  @EnumSource
  void fill_anyCountAndLayout_writesItAndNoMore(DType type) {
    if (!isCopied(type)) {
      return;
    }
    for (int count : new int[] {0, 1, 31, 32, 33, 63, 64, 65, 1023, 1025}) {
      ResultTensor out = count % 2 == 0 ? result(type, count) : shiftedResult(type, count);
      operations.fill(out.tensor(), 7, stream);
      operations.fill(
          out.tensor().withLayout(Layout.of(count).slice(0, count / 2, count)), 9.0, stream);
      double[] expected = new double[count];
      Arrays.setAll(expected, i -> i < count / 2 ? 7 : 9);
      assertThat(numbers(out)).isEqualTo(expected);
    }
    ResultTensor out = result(type, 6, 7);
    operations.fill(out.tensor(), 1, stream);
    Layout inner = Layout.of(6, 7).slice(0, 1, 5).slice(1, 2, 7).transpose(0, 1);
    operations.fill(out.tensor().withLayout(inner), 2, stream);
    double[] expected = new double[42];
    Arrays.setAll(expected, i -> i / 7 >= 1 && i / 7 < 5 && i % 7 >= 2 ? 2 : 1);
    assertThat(numbers(out)).isEqualTo(expected);
  }

  @Test
  void bits_awkwardNumbers_areRoundedOnce() {
    Checks checks = new Checks("fill", manager().device());
    double[] doubles = {
      0,
      -0.0,
      0.1,
      1 + 0x1p-8,
      1 + 0x1p-8 + 0x1p-52,
      1 + 0x1p-8 - 0x1p-52,
      1 + 0x1p-11 + 0x1p-40,
      65519.999999,
      65520,
      3e38,
      0x1.ffp127,
      1e300,
      -1e300,
      0x1p-25,
      0x1.0000001p-25,
      1e-300,
      Double.MIN_VALUE,
      Double.NEGATIVE_INFINITY,
      Double.NaN
    };
    for (DType type : EnumSet.range(DType.F32, DType.BF16)) {
      long mask = -1L >>> (64 - 8 * type.bytes());
      FloatingPoint format = (FloatingPoint) Arithmetic.of(type);
      for (double value : doubles) {
        assertThat(Scalars.bits(checks, type, value) & mask)
            .as("%s of %s", type, value)
            .isEqualTo(format.encode(value));
      }
    }
    // Between two elements, just above and below the middle, where the nearest double is the
    // middle.
    long middle = (1L << 62) + (1L << 54);
    assertThat(Scalars.bits(checks, DType.BF16, middle)).isEqualTo(bits(DType.BF16, 0x1p62));
    assertThat(Scalars.bits(checks, DType.BF16, middle + 1))
        .isEqualTo(bits(DType.BF16, 0x1p62 + 0x1p55));
    assertThat((short) Scalars.bits(checks, DType.BF16, -middle - 1))
        .isEqualTo((short) bits(DType.BF16, -0x1p62 - 0x1p55));
    assertThat(Scalars.bits(checks, DType.I64, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void fill_numberThatTheTypeDoesNotHold_isRefused() {
    DeviceTensor bytes = numbers(DType.U8, new double[1], 1);
    DeviceTensor longs = numbers(DType.I64, new double[1], 1);
    assertThatThrownBy(() -> operations.fill(bytes, 256, stream))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("fill: u8 does not hold 256");
    assertThatThrownBy(() -> operations.fill(bytes, -1.0, stream))
        .hasMessage("fill: u8 does not hold -1");
    assertThatThrownBy(() -> operations.fill(bytes, 0.5, stream))
        .hasMessage("fill: 0.5 is no whole number of 64 bits");
    assertThatThrownBy(() -> operations.fill(longs, 0x1p63, stream))
        .hasMessage("fill: 9.223372036854776E18 is no whole number of 64 bits");
  }

  @ParameterizedTest
  @EnumSource
  void affine_awkwardValues_areFusedOrWrap(DType type) {
    if (!isRealGpu() && !SCALED.contains(type)) {
      return;
    }
    long[] values = AwkwardValues.of(type).stream().mapToLong(Long::longValue).toArray();
    int n = values.length;
    ResultTensor plain = result(type, n);
    ResultTensor strided = shiftedResult(type, 2, n);
    boolean isFloat = type.isFloatingPoint();
    double scale = isFloat ? 1.1 : 3;
    double shift = isFloat ? -0.3 : -5;
    operations.affine(tensor(type, i -> values[(int) i], n), scale, shift, plain.tensor(), stream);
    DeviceTensor row = tensor(type, i -> values[(int) i], n);
    operations.affine(row, scale, shift, strided.tensor(), stream);
    long[] expected = LongStream.of(values).map(x -> affine(type, x, scale, shift)).toArray();
    assertSpecified(type, bits(plain), expected);
    assertSpecified(type, Arrays.copyOf(bits(strided), n), expected);
    assertSpecified(type, Arrays.copyOfRange(bits(strided), n, 2 * n), expected);
  }

  private static void assertSpecified(DType type, long[] actual, long[] expected) {
    assertThat(LongStream.of(actual).map(Arithmetic.of(type)::specified).toArray())
        .as("%s", type)
        .isEqualTo(expected);
  }

  private static long affine(DType type, long x, double scale, double shift) {
    if (!(Arithmetic.of(type) instanceof FloatingPoint format)) {
      // The low bits of a sum and a product need no others.
      return (x * (long) scale + (long) shift) & -1L >>> (64 - 8 * type.bytes());
    }
    double value = format.decode(x);
    double result =
        type == DType.F64
            ? Math.fma(value, scale, shift)
            : Math.fma((float) value, (float) scale, (float) shift);
    return format.encode(result);
  }

  @Test
  void affine_longs_keepAllBits() {
    ResultTensor out = result(DType.I64, 1);
    DeviceTensor three = numbers(DType.I64, new double[] {3}, 1);
    operations.affine(three, Long.MAX_VALUE, Long.MIN_VALUE + 1, out.tensor(), stream);
    assertThat(bits(out)).containsExactly(-2);
  }

  @Test
  void affine_longAndFloat_roundsOnce() {
    ResultTensor out = result(DType.F32, 1);
    DeviceTensor one = numbers(DType.F32, new double[] {1}, 1);
    // As a double, it lies in the middle of two floats.
    long scale = (1L << 54) + (1L << 30) + 1;
    operations.affine(one, scale, 0, out.tensor(), stream);
    assertThat(numbers(out)).containsExactly(0x1p54 + 0x1p31);
  }
}
