// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.hip.DeviceBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tensors of more than 2^32 elements. They are compared in windows, around the limits of 32-bit
 * integers among others.
 */
@Tag("gpu")
class LargeTensorsGpuTest extends OperationsContract {
  private static final long ROWS = (1L << 16) + 1;
  private static final long COLUMNS = (1L << 16) + 17;
  private static final long COUNT = ROWS * COLUMNS;
  private static final int WINDOW = 4096;
  private static final long[] WINDOWS = {
    0, (1L << 31) - WINDOW / 2, (1L << 32) - WINDOW / 2, COUNT - WINDOW
  };

  private static final long BYTES_NEEDED = 38L << 30;

  private static final Set<Family> FAMILIES =
      EnumSet.of(
          Family.BINARY,
          Family.COPY,
          Family.CAST,
          Family.REDUCE,
          Family.CUMSUM,
          Family.SOFTMAX,
          Family.NORM,
          Family.INDEX,
          Family.ARGSORT,
          Family.ROPE,
          Family.IMAGE,
          Family.POOL,
          Family.QUANTIZED);

  @Override
  TestGpu gpu() {
    assumeTrue(System.getenv("KCACHE_STAND_IN") == null, "a stand-in's host has no such memory");
    return TestGpu.ofThisMachine();
  }

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(FAMILIES).units();
  }

  /** What an element is: a hash in the windows, and 1 elsewhere. */
  private static long element(long index) {
    return LongStream.of(WINDOWS).anyMatch(start -> index >= start && index < start + WINDOW)
        ? ((index * 0x9E3779B97F4A7C15L) >>> 40) % 100
        : 1;
  }

  private void assumeMemory() {
    long free = manager().device().freeMemory();
    assumeTrue(free > BYTES_NEEDED, "the GPU has only " + free + " free bytes");
  }

  private DeviceTensor bytes() {
    assumeMemory();
    DeviceBuffer buffer = allocate(COUNT);
    buffer.fill((byte) 1);
    for (long start : WINDOWS) {
      buffer
          .slice(start, WINDOW)
          .copyFrom(Elements.bytes(DType.U8, WINDOW, i -> element(start + i)));
    }
    return DeviceTensor.of(buffer, DType.U8, ROWS, COLUMNS);
  }

  /** Returns the same elements as {@link #bytes}, which are exact. */
  private DeviceTensor halves() {
    DeviceTensor x = bytes();
    DeviceTensor out = result(DType.F16, x.layout());
    operations.cast(x, out, Overflow.WRAP, stream);
    return out;
  }

  private DeviceTensor result(DType type, Layout layout) {
    return new DeviceTensor(allocate(layout.count() * type.bytes()), type, layout);
  }

  private DeviceTensor filled(DType type, long value, long... shape) {
    DeviceTensor tensor = result(type, Layout.of(shape));
    operations.fill(tensor, value, stream);
    return tensor;
  }

  /** Compares the windows, and as many elements at places that are spread over all. */
  private void check(DeviceTensor out, LongUnaryOperator bits) {
    stream.synchronize();
    long count = out.layout().count();
    int each = out.type().bytes();
    LongStream starts =
        LongStream.concat(
            LongStream.of(WINDOWS).map(start -> Math.min(start, count - WINDOW)),
            LongStream.range(1, 16).map(i -> i * (count / 16)));
    starts.forEach(
        start -> {
          byte[] found = new byte[WINDOW * each];
          out.buffer().slice(start * each, found.length).copyTo(found);
          assertThat(found)
              .as("from element %d", start)
              .isEqualTo(Elements.bytes(out.type(), WINDOW, i -> bits.applyAsLong(start + i)));
        });
  }

  private static long transposed(long index) {
    return index % ROWS * COLUMNS + index / ROWS;
  }

  @Test
  void contiguousOperands_areReadAndWrittenWhole() {
    DeviceTensor x = bytes();
    DeviceTensor out = result(DType.U8, x.layout());
    operations.add(x, x, out, stream);
    check(out, i -> 2 * element(i));
  }

  @Test
  void stridedOperands_areLocatedBy64Bits() {
    DeviceTensor x = bytes();
    DeviceTensor turned = x.withLayout(x.layout().transpose(0, 1));
    DeviceTensor out = result(DType.U8, Layout.of(COLUMNS, ROWS));
    operations.add(turned, turned, out, stream);
    check(out, i -> 2 * element(transposed(i)));
  }

  @Test
  void copies_areTransposedJoinedAndSelected() {
    DeviceTensor x = bytes();
    Layout rows = x.layout();
    DeviceTensor turned = result(DType.U8, Layout.of(COLUMNS, ROWS));
    operations.copy(x.withLayout(rows.transpose(0, 1)), turned, stream);
    check(turned, i -> element(transposed(i)));

    DeviceTensor out = result(DType.U8, rows);
    long half = ROWS / 2;
    List<DeviceTensor> parts =
        List.of(x.withLayout(rows.slice(0, half, ROWS)), x.withLayout(rows.slice(0, 0, half)));
    operations.concat(parts, 0, out, stream);
    check(out, i -> element((i + half * COLUMNS) % COUNT));

    DeviceTensor backwards = tensor(DType.I64, i -> ROWS - 1 - i, ROWS);
    operations.indexing().indexSelect(x, 0, backwards, out, stream);
    check(out, i -> element((ROWS - 1 - i / COLUMNS) * COLUMNS + i % COLUMNS));
    operations.check(stream);
  }

  @Test
  void casts_andFillsReachTheEnd() {
    DeviceTensor x = bytes();
    DeviceTensor out = result(DType.F16, x.layout());
    operations.cast(x, out, Overflow.WRAP, stream);
    check(out, i -> bits(DType.F16, (double) element(i)));
    operations.fill(out, 1.5, stream);
    check(out, i -> bits(DType.F16, 1.5));
  }

  @Test
  void reductions_seeTheLastElement() {
    DeviceTensor x = bytes();
    long last = COUNT - 2;
    x.buffer().slice(last, 1).copyFrom(new byte[] {(byte) 200});
    DeviceTensor most = result(DType.U8, Layout.of());
    operations.reductions().reduce(Reduction.MAX, x, most, stream, 0, 1);
    DeviceTensor where = result(DType.I64, Layout.of());
    operations.reductions().reduce(Reduction.ARGMAX, x, where, stream, 0, 1);
    stream.synchronize();

    byte[] value = new byte[1];
    most.buffer().copyTo(value);
    assertThat(value).containsExactly((byte) 200);
    long[] index = new long[1];
    where.buffer().copyTo(index);
    assertThat(index).containsExactly(last);
  }

  /** The last row differs from the others. */
  @Test
  void rows_areComputedToTheLast() {
    assumeMemory();
    long columns = 1L << 15;
    DeviceTensor x = filled(DType.F16, 1, (1L << 17) + 5, columns);
    long last = x.layout().count() - columns;
    DeviceTensor row =
        new DeviceTensor(
            x.buffer(), x.type(), Layout.strided(new long[] {columns}, new long[] {1}, last));
    DeviceTensor out = result(DType.F16, x.layout());
    operations.fill(row.withLayout(Layout.strided(new long[0], new long[0], last)), 40, stream);
    operations.rows().softmax(x, out, stream);
    check(out, i -> bits(DType.F16, i < last ? 1.0 / columns : i == last ? 1 : 0));

    // A mean of 2 and a variance of 4.
    operations.fill(row, 0, stream);
    operations.fill(
        row.withLayout(Layout.strided(new long[] {columns / 2}, new long[] {1}, last)), 4, stream);
    DeviceTensor bias = filled(DType.F16, 3, columns);
    operations.rows().layerNorm(x, null, bias, 12, out, stream);
    check(out, i -> bits(DType.F16, i < last ? 3 : i < last + columns / 2 ? 3.5 : 2.5));
  }

  /** So many rows that a launch has not enough blocks for them. */
  @Test
  void rows_ofMoreThanOneLaunch_areComputedToTheLast() {
    long rows = (1L << 29) + 5;
    DeviceTensor x = filled(DType.F16, 0, rows, 2);
    DeviceTensor second =
        x.withLayout(Layout.strided(new long[] {4}, new long[] {2}, 2 * rows - 10));
    operations.fill(second, 40, stream);
    DeviceTensor out = filled(DType.F16, 7, rows, 2);
    operations.rows().softmax(x, out, stream);
    check(
        out,
        i -> {
          boolean marked = i / 2 >= rows - 5 && i / 2 < rows - 1;
          return bits(DType.F16, marked ? 1 - i % 2 : 0.5);
        });
  }

  @Test
  void cumulativeSums_ofManyLines_reachTheEnd() {
    DeviceTensor x = halves();
    long half = COUNT / 2;
    DeviceTensor out = result(DType.F16, Layout.of(half, 2));
    operations.reductions().cumsum(x.withLayout(out.layout()), out, stream, 1);
    check(out, i -> bits(DType.F16, (double) (element(i) + (i % 2 == 0 ? 0 : element(i - 1)))));

    DeviceTensor down = out.withLayout(Layout.of(2, half));
    operations.reductions().cumsum(x.withLayout(down.layout()), down, stream, 0);
    check(down, i -> bits(DType.F16, (double) (element(i) + (i < half ? 0 : element(i - half)))));
  }

  /** Rows that are sorted in parts of a block, and rows that are merged. */
  @ParameterizedTest
  @ValueSource(longs = {3, 2048})
  void argsort_ofManyRows_sortsTheLast(long size) {
    DeviceTensor x = bytes();
    DeviceTensor out = result(DType.I64, Layout.of(COUNT / size, size));
    operations.argsort(SortOrder.DESCENDING, x.withLayout(out.layout()), out, stream);
    Map<Long, long[]> sorted = new ConcurrentHashMap<>();
    check(
        out,
        i -> sorted.computeIfAbsent(i / size, row -> sorted(row * size, size))[(int) (i % size)]);
  }

  private static long[] sorted(long first, long size) {
    return LongStream.range(0, size)
        .boxed()
        .sorted(Comparator.comparingLong((Long place) -> -element(first + place)))
        .mapToLong(place -> place)
        .toArray();
  }

  /** By a quarter of a turn. */
  @ParameterizedTest
  @EnumSource
  void rope_turnsTheLastPairs(RotaryPairs pairs) {
    DeviceTensor x = halves();
    // Of packs, and not.
    long half = pairs == RotaryPairs.INTERLEAVED ? 32 : 3;
    Layout rows = Layout.of(COUNT / (2 * half), 2 * half);
    DeviceTensor out = result(DType.F16, rows);
    DeviceTensor cos = filled(DType.F16, 0, half);
    DeviceTensor sin = filled(DType.F16, 1, half);
    operations.rope(pairs, x.withLayout(rows), cos, sin, out, stream);
    long distance = pairs == RotaryPairs.INTERLEAVED ? 1 : half;
    check(
        out,
        i -> {
          boolean first = i / distance % 2 == 0;
          return bits(DType.F16, (double) (first ? -element(i + distance) : element(i - distance)));
        });
  }

  @Test
  void images_areMovedToTheLastElement() {
    DeviceTensor x = bytes();
    DeviceTensor image = x.withLayout(Layout.of(1, 1, ROWS, COLUMNS));
    DeviceTensor wide = result(DType.U8, Layout.of(1, 1, ROWS, 2 * COLUMNS));
    operations.images().upsampleNearest(image, wide, stream);
    check(wide, i -> element(i / 2));

    Window2d pairs = new Window2d(new Window1d(1, 1, 0, 1), new Window1d(2, 2, 1, 1));
    long windows = pairs.across().outputLength(COLUMNS);
    DeviceTensor columns = wide.withLayout(Layout.of(1, ROWS * windows, 2));
    operations.images().im2col(image, pairs, columns, stream);
    check(
        columns,
        i -> {
          long across = i % (2 * windows) - 1;
          return across < 0 ? 0 : element(i / (2 * windows) * COLUMNS + across);
        });
  }

  @Test
  void pools_takeTheLastWindow() {
    DeviceTensor x = halves();
    DeviceTensor channels = x.withLayout(Layout.of(1, ROWS, COLUMNS));
    long windows = COLUMNS - 1;
    DeviceTensor means = result(DType.F16, Layout.of(1, ROWS, windows));
    Window1d across = new Window1d(2, 1, 0, 1);
    operations.images().averagePool(channels, across, Padding.COUNTED, means, stream);
    check(
        means,
        i -> {
          long first = i / windows * COLUMNS + i % windows;
          return bits(DType.F16, (element(first) + element(first + 1)) / 2.0);
        });

    DeviceTensor image = x.withLayout(Layout.of(1, 1, ROWS, COLUMNS));
    DeviceTensor most = means.withLayout(Layout.of(1, 1, ROWS - 1, COLUMNS));
    Window2d down = new Window2d(new Window1d(2, 1, 0, 1), new Window1d(1, 1, 0, 1));
    operations.images().maxPool(image, down, most, stream);
    check(most, i -> bits(DType.F16, (double) Math.max(element(i), element(i + COLUMNS))));
  }

  /** All indices are 1, but the last ones 0. */
  @Test
  void indices_reachTheLastElement() {
    long half = COUNT / 2;
    Layout rows = Layout.of(2, half);
    DeviceTensor x = bytes().withLayout(rows);
    DeviceTensor indices = filled(DType.U8, 1, 2, half);
    indices.buffer().slice(2 * half - WINDOW / 2, WINDOW / 2).fill((byte) 0, stream);
    LongUnaryOperator index = i -> i < 2 * half - WINDOW / 2 ? 1 : 0;
    DeviceTensor out = result(DType.U8, rows);
    operations.indexing().gather(x, 0, indices, out, stream);
    check(out, i -> element(index.applyAsLong(i) * half + i % half));

    operations.fill(out, 7, stream);
    operations.indexing().scatterAdd(out, 0, indices, x, stream);
    check(
        out,
        i ->
            7
                + LongStream.of(i % half, half + i % half)
                    .filter(place -> index.applyAsLong(place) == i / half)
                    .map(LargeTensorsGpuTest::element)
                    .sum());

    DeviceTensor exchanged = tensor(DType.U32, i -> 1 - i, 2);
    operations.fill(out, 7, stream);
    operations.indexing().indexAdd(out, 0, exchanged, x, stream);
    check(out, i -> 7 + element((i + half) % (2 * half)));
    operations.check(stream);
  }

  /** Weights of 136, but in some blocks, which have scales of their own. */
  @Test
  void quantizedWeights_areReadToTheLast() {
    assumeMemory();
    QuantFormat format = QuantFormat.Q8_0;
    long columns = (1L << 16) + format.blockElements();
    long last = ROWS * columns - 1;
    long[] marked = {0, 1L << 31, 1L << 32, last};
    DeviceBuffer memory = allocate(ROWS * columns / format.blockElements() * format.blockBytes());
    memory.fill((byte) 0x40); // scales of 2.125, and 64
    for (int k = 0; k < marked.length; k++) {
      byte[] powerOfTwo = {0, (byte) (0x3c + 4 * k)};
      long block = marked[k] / format.blockElements();
      memory.slice(block * format.blockBytes(), 2).copyFrom(powerOfTwo);
    }
    LongUnaryOperator weight =
        i -> {
          for (int k = 0; k < marked.length; k++) {
            if (i / format.blockElements() == marked[k] / format.blockElements()) {
              return 64L << k;
            }
          }
          return 136;
        };
    QuantizedMatrix weights = new QuantizedMatrix(memory, format, ROWS, columns);
    DeviceTensor out = result(DType.F16, Layout.of(ROWS, columns));
    operations.quantized().dequantize(weights, out, stream);
    check(out, i -> bits(DType.F16, (double) weight.applyAsLong(i)));

    DeviceTensor y = result(DType.F32, Layout.of(ROWS));
    operations.quantized().matVec(weights, filled(DType.F32, 1, columns), y, stream);
    stream.synchronize();
    float[] found = new float[(int) ROWS];
    y.buffer().copyTo(found);
    float[] expected = new float[(int) ROWS];
    Arrays.fill(expected, 136f * columns);
    for (long place : marked) {
      expected[(int) (place / columns)] +=
          format.blockElements() * (weight.applyAsLong(place) - 136);
    }
    assertThat(found).isEqualTo(expected);
  }
}
