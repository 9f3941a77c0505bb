// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What launches leave for the garbage collector: nothing. */
class OperationsAllocationTest extends OperationsContract {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int LAUNCHES = 1000;

  /** So many that the JIT has compiled all: it stops at the first round that allocates nothing. */
  private static final int ROUNDS = 60;

  @Override
  TestGpu gpu() {
    return TestGpu.ofAmdStandIn();
  }

  /** The stand-in takes launches of other kernels, too, and computes nothing. */
  @Override
  List<KernelUnit> units() {
    return List.of();
  }

  @Test
  void elementwise_anyLayouts_allocatesNothing() {
    DeviceTensor x = tensor(DType.I32, i -> i, 3, 5);
    DeviceTensor y = tensor(DType.I32, i -> i, 3, 5);
    DeviceTensor row = tensor(DType.I32, i -> i, 5);
    DeviceTensor bits = tensor(DType.U8, i -> i, 3, 5);
    DeviceTensor floats = tensor(DType.F32, i -> i, 3, 5);

    assertThatNothingIsAllocatedBy("add", () -> operations.add(x, y, x, stream));
    assertThatNothingIsAllocatedBy("add a row", () -> operations.add(x, row, y, stream));
    assertThatNothingIsAllocatedBy(
        "lt", () -> operations.compare(Comparison.LT, x, y, bits, stream));
    assertThatNothingIsAllocatedBy("where", () -> operations.where(bits, x, y, x, stream));
    assertThatNothingIsAllocatedBy(
        "where of a row", () -> operations.where(bits, row, y, x, stream));
    assertThatNothingIsAllocatedBy("neg", () -> operations.unary(UnaryOperation.NEG, x, x, stream));
    assertThatNothingIsAllocatedBy(
        "neg of a row", () -> operations.unary(UnaryOperation.NEG, row, x, stream));
    assertThatNothingIsAllocatedBy("pow", () -> operations.pow(floats, 2, floats, stream));
    assertThatNothingIsAllocatedBy("cast", () -> operations.cast(x, bits, Overflow.WRAP, stream));
    assertThatNothingIsAllocatedBy(
        "cast of a row", () -> operations.cast(row, bits, Overflow.SATURATE, stream));
    assertThatNothingIsAllocatedBy("affine", () -> operations.affine(x, 2, 1, x, stream));
    assertThatNothingIsAllocatedBy("affine", () -> operations.affine(x, 2.0, 1.0, x, stream));
  }

  @Test
  void copies_anyLayouts_allocateNothing() {
    DeviceTensor x = tensor(DType.I32, i -> i, 40, 50);
    DeviceTensor y = tensor(DType.I32, i -> i, 40, 50);
    DeviceTensor turned = tensor(DType.I32, i -> i, 50, 40);
    DeviceTensor columns = turned.withLayout(turned.layout().transpose(0, 1));

    assertThatNothingIsAllocatedBy("copy", () -> operations.copy(x, y, stream));
    assertThatNothingIsAllocatedBy("transpose", () -> operations.copy(x, columns, stream));
    assertThatNothingIsAllocatedBy("fill", () -> operations.fill(x, 7, stream));
    assertThatNothingIsAllocatedBy("fill columns", () -> operations.fill(columns, 7, stream));
  }

  @Test
  void alongAxes_anyOperation_allocatesNothing() {
    DeviceTensor x = tensor(DType.F32, i -> i, 3, 4, 6);
    DeviceTensor y = tensor(DType.F32, i -> i, 3, 4, 6);
    DeviceTensor weight = tensor(DType.F32, i -> i, 6);
    DeviceTensor sums = tensor(DType.F32, i -> i, 3, 6);
    DeviceTensor places = tensor(DType.I64, i -> i, 3, 4, 6);
    DeviceTensor angles = tensor(DType.F32, i -> i, 4, 3);
    DeviceTensor turned = tensor(DType.F32, i -> i, Layout.of(6, 4, 3).transpose(0, 2));
    DeviceTensor greatest = tensor(DType.I64, i -> i, 3, 6);
    DeviceTensor mean = tensor(DType.F32, i -> i);
    DeviceTensor longRows = tensor(DType.F32, i -> i, 2, 3000);
    DeviceTensor order = tensor(DType.I64, i -> i, 2, 3000);
    int[] axis = {1};
    int[] all = {};

    Rows rows = operations.rows();
    assertThatNothingIsAllocatedBy("softmax", () -> rows.softmax(x, y, stream));
    assertThatNothingIsAllocatedBy("log-softmax", () -> rows.logSoftmax(turned, y, stream));
    assertThatNothingIsAllocatedBy("RMS norm", () -> rows.rmsNorm(turned, null, 1e-5, y, stream));
    assertThatNothingIsAllocatedBy(
        "layer norm", () -> rows.layerNorm(x, weight, weight, 1e-5, y, stream));
    Reductions reductions = operations.reductions();
    assertThatNothingIsAllocatedBy(
        "sum", () -> reductions.reduce(Reduction.SUM, x, sums, stream, axis));
    assertThatNothingIsAllocatedBy(
        "argmax", () -> reductions.reduce(Reduction.ARGMAX, turned, greatest, stream, axis));
    assertThatNothingIsAllocatedBy(
        "mean", () -> reductions.reduce(Reduction.MEAN, turned, mean, stream, all));
    assertThatNothingIsAllocatedBy("cumsum", () -> reductions.cumsum(x, y, stream, 1));
    assertThatNothingIsAllocatedBy(
        "rope", () -> operations.rope(RotaryPairs.HALVES, x, angles, angles, y, stream));
    assertThatNothingIsAllocatedBy(
        "argsort", () -> operations.argsort(SortOrder.ASCENDING, x, places, stream));
    assertThatNothingIsAllocatedBy(
        "argsort of long rows",
        () -> operations.argsort(SortOrder.DESCENDING, longRows, order, stream));
  }

  @Test
  void indexing_anyOperation_allocatesNothing() {
    DeviceTensor x = tensor(DType.F32, i -> i, 3, 4);
    DeviceTensor y = tensor(DType.F32, i -> i, 3, 4);
    DeviceTensor indices = tensor(DType.I64, i -> 0, 3, 4);
    DeviceTensor places = tensor(DType.I64, i -> 0, 4);
    DeviceTensor vectors = tensor(DType.F32, i -> i, 4, 4);

    Indexing indexing = operations.indexing();
    assertThatNothingIsAllocatedBy(
        "indexSelect", () -> indexing.indexSelect(x, 1, places, y, stream));
    assertThatNothingIsAllocatedBy(
        "embedding", () -> indexing.embedding(x, places, vectors, stream));
    assertThatNothingIsAllocatedBy("gather", () -> indexing.gather(x, 0, indices, y, stream));
    assertThatNothingIsAllocatedBy(
        "scatterAdd", () -> indexing.scatterAdd(x, 0, indices, y, stream));
    assertThatNothingIsAllocatedBy("indexAdd", () -> indexing.indexAdd(x, 1, places, y, stream));
  }

  @Test
  void images_anyOperation_allocatesNothing() {
    DeviceTensor x = tensor(DType.F32, i -> i, 2, 3, 4, 4);
    DeviceTensor y = tensor(DType.F32, i -> i, 2, 3, 2, 2);
    DeviceTensor windows = tensor(DType.F32, i -> i, 2, 4, 12);
    Window2d window = Window2d.square(2, 2, 0);

    Images images = operations.images();
    assertThatNothingIsAllocatedBy("im2col", () -> images.im2col(x, window, windows, stream));
    assertThatNothingIsAllocatedBy("maxPool", () -> images.maxPool(x, window, y, stream));
    assertThatNothingIsAllocatedBy(
        "averagePool", () -> images.averagePool(x, window, Padding.COUNTED, y, stream));
    assertThatNothingIsAllocatedBy("upsample", () -> images.upsampleNearest(y, x, stream));

    DeviceTensor row = tensor(DType.F32, i -> i, 2, 3, 16);
    DeviceTensor half = tensor(DType.F32, i -> i, 2, 3, 8);
    Window1d pair = new Window1d(2, 2, 0, 1);
    assertThatNothingIsAllocatedBy(
        "maxPool of rows", () -> images.maxPool(row, pair, half, stream));
    assertThatNothingIsAllocatedBy(
        "upsample of rows", () -> images.upsampleNearest(half, row, stream));
  }

  @Test
  void quantized_anyOperation_allocatesNothing() {
    DeviceTensor x = tensor(DType.F32, i -> i, 32);
    DeviceTensor y = tensor(DType.F32, i -> i, 2);
    DeviceTensor weights = tensor(DType.F32, i -> i, 2, 32);
    QuantizedMatrix matrix =
        new QuantizedMatrix(tensor(DType.U8, i -> i, 68).buffer(), QuantFormat.Q8_0, 2, 32);

    Quantized quantized = operations.quantized();
    assertThatNothingIsAllocatedBy("matVec", () -> quantized.matVec(matrix, x, y, stream));
    assertThatNothingIsAllocatedBy(
        "dequantize", () -> quantized.dequantize(matrix, weights, stream));
  }

  @Test
  void launch_oneKernelWithManySizes_allocatesNothing() {
    DeviceTensor x = tensor(DType.I32, i -> i, 16_000);
    DeviceTensor[] parts = new DeviceTensor[16];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = x.withLayout(Layout.of(1000L * (i + 1)));
    }

    assertThatNothingIsAllocatedBy(
        "neg",
        () -> {
          for (DeviceTensor part : parts) {
            operations.unary(UnaryOperation.NEG, part, part, stream);
          }
        });
  }

  private static void assertThatNothingIsAllocatedBy(String name, Runnable launch) {
    assertThat(allocatedBy(launch)).as(name).isZero();
  }

  /** Returns what launches allocate once the JIT has compiled them: the least of some rounds. */
  private static long allocatedBy(Runnable launch) {
    // Reading the figure allocates too, and always the same.
    long nothing = -THREADS.getCurrentThreadAllocatedBytes();
    nothing += THREADS.getCurrentThreadAllocatedBytes();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS && least > 0; round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < LAUNCHES; i++) {
        launch.run();
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before - nothing);
    }
    return least;
  }
}
