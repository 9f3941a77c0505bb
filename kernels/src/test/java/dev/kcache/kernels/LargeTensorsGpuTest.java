// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.kernels.Arithmetic.FloatingPoint;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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

  private static final long BYTES_NEEDED = 36L << 30;

  @Override
  TestGpu gpu() {
    assumeTrue(System.getenv("KCACHE_STAND_IN") == null, "a stand-in's host has no such memory");
    return TestGpu.ofThisMachine();
  }

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load(List.of(Family.BINARY, Family.COPY)).units();
  }

  /** What an element is: a hash in the windows, and 1 elsewhere. */
  private static long element(long index) {
    return LongStream.of(WINDOWS).anyMatch(start -> index >= start && index < start + WINDOW)
        ? ((index * 0x9E3779B97F4A7C15L) >>> 40) % 100
        : 1;
  }

  private DeviceTensor bytes() {
    long free = manager().device().freeMemory();
    assumeTrue(free > BYTES_NEEDED, "the GPU has only " + free + " free bytes");
    DeviceBuffer buffer = allocate(COUNT);
    buffer.fill((byte) 1);
    for (long start : WINDOWS) {
      buffer
          .slice(start, WINDOW)
          .copyFrom(Elements.bytes(DType.U8, WINDOW, i -> element(start + i)));
    }
    return DeviceTensor.of(buffer, DType.U8, ROWS, COLUMNS);
  }

  private DeviceTensor result(DType type, Layout layout) {
    return new DeviceTensor(allocate(layout.count() * type.bytes()), type, layout);
  }

  /** Compares the windows, and as many elements at places that are spread over all. */
  private void check(DeviceTensor out, LongUnaryOperator bits) {
    stream.synchronize();
    long count = out.layout().count();
    int each = out.type().bytes();
    LongStream starts =
        LongStream.concat(
            LongStream.of(WINDOWS).filter(start -> start + WINDOW <= count),
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

  /** The last row has a maximum of its own, as no other has. */
  @Test
  void rows_areComputedToTheLast() {
    DeviceTensor x = result(DType.F16, Layout.of((1L << 17) + 5, 1L << 15));
    assumeTrue(manager().device().freeMemory() > BYTES_NEEDED / 2, "too little free memory");
    long columns = x.layout().extent(1);
    long last = x.layout().count() - columns;
    operations.fill(x, 1, stream);
    stream.synchronize();
    FloatingPoint half = (FloatingPoint) Arithmetic.of(DType.F16);
    x.buffer().slice(2 * last, 2).copyFrom(new short[] {(short) half.encode(40)});
    DeviceTensor out = result(DType.F16, x.layout());
    operations.rows().softmax(x, out, stream);

    check(out, i -> half.encode(i < last ? 0x1p-15 : i == last ? 1 : 0));
  }
}
