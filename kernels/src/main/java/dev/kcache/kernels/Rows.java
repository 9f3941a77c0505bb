// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.DevicePointer;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Operations on each row of a tensor: on the elements along its last axis.
 *
 * <pre>
 * Rows rows = operations.rows();
 * rows.softmax(scores, scores, stream);
 * rows.layerNorm(x, weight, bias, 1e-5, out, stream);
 * </pre>
 *
 * <p>Tensors are of floats, all of one type, and have at least one axis. {@link DType#F16} and
 * {@link DType#BF16} are computed with as float and rounded once. The input may have any layout;
 * the result is contiguous, has the input's shape, and may be the input itself if that is
 * contiguous.
 *
 * <p><b>Speed.</b> A row is read once if its neighbours lie beside each other, its length and the
 * distances of rows are multiples of 4, it starts at a multiple of 4 elements, and it has at most
 * 32,768 elements (16,384 of {@link DType#F64}). Other rows are read two or three times.
 *
 * <p>The order of additions follows from the length of the row alone, so every device gives the
 * same bits, each time. Errors and concurrency are as {@link Operations} says.
 */
public final class Rows {
  private static final int BLOCK_SIZE = 256;
  private static final int PACK = 4;

  /** As {@code rows.h} has it: eight packs. */
  private static final int MOST_HELD_PER_LANE = 32;

  private static final int ENOUGH_PER_LANE = 16;

  /** A launch has less than 2^32 threads on AMD, and a block at most 1,024. */
  private static final long MOST_BLOCKS = 1 << 21;

  private final KernelManager kernels;
  private final ThreadLocal<Scratch> scratch;
  private final Operation softmax;
  private final Operation logSoftmax;
  private final Operation layerNorm;
  private final Operation rmsNorm;

  private record Operation(FunctionTable functions, Checks checks) {}

  Rows(KernelManager kernels, ThreadLocal<Scratch> scratch) {
    this.kernels = kernels;
    this.scratch = scratch;
    softmax = operation(Family.SOFTMAX, "softmax", "softmax");
    logSoftmax = operation(Family.SOFTMAX, "softmax_log", "log-softmax");
    layerNorm = operation(Family.NORM, "norm_layer", "layer norm");
    rmsNorm = operation(Family.NORM, "norm_rms", "RMS norm");
  }

  private Operation operation(Family family, String stem, String name) {
    return new Operation(
        new FunctionTable(kernels, family, stem), new Checks(name, kernels.device()));
  }

  /**
   * Computes {@code out = exp(x - max) / sum of exp(x - max)} of each row. A row that has a NaN or
   * +infinity, or nothing but -infinity, gives NaNs.
   *
   * @param x of floats
   * @param out of the same type and shape
   * @param stream where to launch
   */
  public void softmax(DeviceTensor x, DeviceTensor out, HipStream stream) {
    requireNonNull(x, "x");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    softmax(softmax, x, out, stream);
  }

  /**
   * Computes {@code out = x - max - log(sum of exp(x - max))} of each row. A row that has a NaN or
   * +infinity, or nothing but -infinity, gives NaNs.
   *
   * @param x of floats
   * @param out of the same type and shape
   * @param stream where to launch
   */
  public void logSoftmax(DeviceTensor x, DeviceTensor out, HipStream stream) {
    requireNonNull(x, "x");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    softmax(logSoftmax, x, out, stream);
  }

  private void softmax(Operation operation, DeviceTensor x, DeviceTensor out, HipStream stream) {
    check(operation.checks(), x, out);
    if (x.layout().count() > 0) {
      LoadedKernel kernel = operation.functions().get(x.type());
      KernelArguments arguments = kernel.arguments(4).set(2, x.start()).set(3, out.start());
      launch(kernel, arguments, x, stream);
    }
  }

  /**
   * Computes {@code out = (x - mean) / sqrt(variance + epsilon) * weight + bias} of each row, with
   * the mean of the squared distances from the mean for the variance.
   *
   * @param x of floats
   * @param weight contiguous, with an element for each of a row; null for ones
   * @param bias contiguous, with an element for each of a row; null for zeros
   * @param epsilon not negative
   * @param out of the same type and shape as {@code x}
   * @param stream where to launch
   */
  public void layerNorm(
      DeviceTensor x,
      @Nullable DeviceTensor weight,
      @Nullable DeviceTensor bias,
      double epsilon,
      DeviceTensor out,
      HipStream stream) {
    requireNonNull(x, "x");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    norm(layerNorm, x, weight, bias, epsilon, out, stream);
  }

  /**
   * Computes {@code out = x / sqrt(mean of x^2 + epsilon) * weight} of each row.
   *
   * @param x of floats
   * @param weight contiguous, with an element for each of a row; null for ones
   * @param epsilon not negative
   * @param out of the same type and shape as {@code x}
   * @param stream where to launch
   */
  public void rmsNorm(
      DeviceTensor x,
      @Nullable DeviceTensor weight,
      double epsilon,
      DeviceTensor out,
      HipStream stream) {
    requireNonNull(x, "x");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    norm(rmsNorm, x, weight, null, epsilon, out, stream);
  }

  private void norm(
      Operation operation,
      DeviceTensor x,
      @Nullable DeviceTensor weight,
      @Nullable DeviceTensor bias,
      double epsilon,
      DeviceTensor out,
      HipStream stream) {
    Checks checks = operation.checks();
    check(checks, x, out);
    if (!(epsilon >= 0)) {
      throw checks.failure("epsilon must not be negative, and is " + epsilon);
    }
    checkParameter(checks, "weight", weight, x, out);
    checkParameter(checks, "bias", bias, x, out);
    if (x.layout().count() > 0) {
      LoadedKernel kernel = operation.functions().get(x.type());
      KernelArguments arguments = kernel.arguments(7).set(2, x.start());
      set(arguments, 3, weight);
      set(arguments, 4, bias);
      launch(kernel, arguments.set(5, out.start()).set(6, epsilon), x, stream);
    }
  }

  private static void set(KernelArguments arguments, int index, @Nullable DeviceTensor tensor) {
    if (tensor == null) {
      arguments.set(index, DevicePointer.NULL);
    } else {
      arguments.set(index, tensor.start());
    }
  }

  private static void check(Checks checks, DeviceTensor x, DeviceTensor out) {
    checks.floats("x", x);
    if (x.layout().rank() == 0) {
      throw checks.failure("x has no axis");
    }
    checks.type("out", out, x.type());
    checks.onDevice("x", x);
    checks.onDevice("out", out);
    checks.contiguous("out", out);
    checks.shapeOf("out", out, x);
    checks.apart("x", x, out);
  }

  private static void checkParameter(
      Checks checks, String name, @Nullable DeviceTensor tensor, DeviceTensor x, DeviceTensor out) {
    if (tensor != null) {
      checks.type(name, tensor, x.type());
      checks.onDevice(name, tensor);
      checks.contiguous(name, tensor);
      checks.shape(name, tensor, x.layout().extent(x.layout().rank() - 1));
      checks.apart(name, tensor, out);
    }
  }

  /**
   * Launches a kernel with the walk through the rows of x for its first argument, and for the
   * second how blocks share them: {@code RowShape} of {@code rows.h}.
   */
  private void launch(
      LoadedKernel kernel, KernelArguments arguments, DeviceTensor x, HipStream stream) {
    Layout layout = x.layout();
    int last = layout.rank() - 1;
    long count = layout.extent(last);
    long stride = count == 1 ? 1 : layout.stride(last);
    int mostThreads = 4096 / (x.type() == DType.F64 ? 8 : 4);
    boolean held =
        stride == 1
            && count % PACK == 0
            && count <= (long) mostThreads * MOST_HELD_PER_LANE
            && startsAtPacks(layout);
    long perLane = held ? MOST_HELD_PER_LANE : ENOUGH_PER_LANE;
    int lanes = Parts.powerOfTwo((Math.min(count, mostThreads * perLane) + perLane - 1) / perLane);
    int blockSize = Math.max(BLOCK_SIZE, lanes);
    long rowsOfBlock = blockSize / lanes;
    Scratch own = scratch.get();
    Walk rows = own.walk(1);
    for (int d = 0; d < last; d++) {
      rows.add(layout.extent(d), layout.stride(d));
    }
    arguments.set(0, rows.merge().argument());
    for (long first = 0; first < rows.count(); first += MOST_BLOCKS * rowsOfBlock) {
      long left = Math.min(rows.count() - first, MOST_BLOCKS * rowsOfBlock);
      long blocks = (left + rowsOfBlock - 1) / rowsOfBlock;
      ByteBuffer shape = own.struct().putLong(count).putLong(stride).putLong(lanes);
      arguments.set(1, shape.putLong(first).putLong(held ? 1 : 0).flip());
      kernel.launch(blocks * blockSize, blockSize, stream, arguments);
    }
  }

  /** Returns whether the distances of rows are multiples of a pack. */
  private static boolean startsAtPacks(Layout layout) {
    for (int d = 0; d < layout.rank() - 1; d++) {
      if (layout.extent(d) > 1 && layout.stride(d) % PACK != 0) {
        return false;
      }
    }
    return true;
  }
}
