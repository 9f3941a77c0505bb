// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.IntStream;

/**
 * Operations that take elements together along axes of a tensor.
 *
 * <pre>
 * Reductions reductions = operations.reductions();
 * reductions.reduce(Reduction.SUM, x, rowSums, stream, 1); // [m, n] to [m]
 * reductions.reduce(Reduction.MAX, x, greatest, stream); // all axes: to []
 * </pre>
 *
 * <p>The input may have any layout; the result is contiguous.
 *
 * <p><b>Order.</b> The order of additions follows from the input's layout and the axes alone, so
 * every device gives the same bits, each time. A sum of n floats is off by at most 25
 * ceil(log<sub>2</sub>(n) / 14) u &Sigma;|x|, with the unit roundoff u of the type that is added in
 * (float for 16-bit floats) and n up to 2<sup>14</sup> per step; where neighbours are of other
 * sums, a step may be 2<sup>9</sup>.
 *
 * <p><b>Memory.</b> Long sums are added in parts, for which a call takes memory {@linkplain
 * HipStream#allocate in the order of the stream}: it holds one partial value of 4 to 16 bytes for
 * every 512 to 16,384 elements. Where the device cannot allocate in that order, such a call waits
 * for the device. Streams share nothing.
 *
 * <p>Errors and concurrency are as {@link Operations} says.
 */
public final class Reductions {
  private static final int ELEMENTS = 0;
  private static final int PARTIALS = 1;

  private final KernelManager kernels;
  private final FunctionTable sum;
  private final FunctionTable extreme;
  private final FunctionTable arg;
  private final FunctionTable cumsum;

  Reductions(KernelManager kernels) {
    this.kernels = kernels;
    sum = new FunctionTable(kernels, Family.REDUCE, "reduce_sum", "_partials");
    extreme = new FunctionTable(kernels, Family.REDUCE, "reduce_extreme", "_partials");
    arg = new FunctionTable(kernels, Family.REDUCE, "reduce_arg", "_partials");
    cumsum = new FunctionTable(kernels, Family.CUMSUM, "cumsum");
  }

  /**
   * Joins the elements along some axes.
   *
   * <p>Sums of integers wrap at 64 bits; sums of zeros are +0. {@link Reduction#MIN} and {@link
   * Reduction#MAX} are NaN if an element is, and -0 is less than +0. An index counts the elements
   * along the axes in row-major order; the lowest of equal ones is taken, -0 equals +0, and a NaN
   * comes before all other values.
   *
   * @param reduction what to compute; {@link Reduction#MEAN} takes floats only
   * @param x of any type
   * @param out of {@linkplain Reduction#result the result's type}, and of the input's shape without
   *     the axes or with extents of 1 in their place
   * @param stream where to launch
   * @param axes each once, from 0; none for all. If there is no element along them, a sum is 0, a
   *     mean is NaN, and the others throw {@link IllegalArgumentException}
   */
  public void reduce(
      Reduction reduction, DeviceTensor x, DeviceTensor out, HipStream stream, int... axes) {
    requireNonNull(x, "x");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    requireNonNull(axes, "axes");
    requireNonNull(reduction, "reduction");
    Checks checks = new Checks(reduction.toString(), kernels.device());
    Layout layout = x.layout();
    int[] along = axes.length == 0 ? IntStream.range(0, layout.rank()).toArray() : axes;
    Lines lines = Lines.along(layout, along);
    if (reduction == Reduction.MEAN) {
      checks.floats("x", x);
    }
    checks.type("out", out, reduction.result(x.type()));
    checks.onDevice("x", x);
    checks.onDevice("out", out);
    checks.contiguous("out", out);
    boolean ones = out.layout().rank() == layout.rank();
    checks.shape("out", out, ones ? Lines.withOnes(layout, along) : lines.starts().shape());
    checks.apart("x", x, out);
    if (lines.line().count() == 0 && !reduction.isSum() && out.layout().count() > 0) {
      throw checks.failure("x has no element along the axes");
    }
    new Launch(reduction, x.type(), stream, out.start(), lines).elements(x.start());
  }

  /**
   * Computes {@code out[.., j, ..] = x[.., 0, ..] + ... + x[.., j, ..]}, the sums along an axis up
   * to each element.
   *
   * <p>Integers wrap at 64 bits. Sums of 16-bit floats are float until each is rounded. A sum of n
   * floats is off by at most (13 + n / 1024) u &Sigma;|x|, with u as for {@link #reduce}; where
   * neighbours are of other sums, by (13 + n / 32) u &Sigma;|x|.
   *
   * @param x of any type, with at least one axis
   * @param out of the same shape; {@link DType#I64} for integers, and else of the same type. It may
   *     be {@code x}
   * @param stream where to launch
   * @param axis from 0
   */
  public void cumsum(DeviceTensor x, DeviceTensor out, HipStream stream, int axis) {
    requireNonNull(x, "x");
    requireNonNull(out, "out");
    requireNonNull(stream, "stream");
    Checks checks = new Checks("cumsum", kernels.device());
    Layout layout = x.layout();
    Lines lines = Lines.along(layout, axis);
    checks.type("out", out, Reduction.SUM.result(x.type()));
    checks.onDevice("x", x);
    checks.onDevice("out", out);
    checks.contiguous("out", out);
    checks.shape("out", out, layout.shape());
    checks.apart("x", x, out);
    Walk walk = new Walk(lines.starts(), Lines.along(out.layout(), axis).starts());
    long length = layout.extent(axis);
    boolean across = walk.rank() > 0 && length > 1 && walk.step() < Math.abs(layout.stride(axis));
    Parts parts = Parts.of(walk.count(), length, across);
    ByteBuffer shape =
        ByteBuffer.allocate(5 * Long.BYTES)
            .order(ByteOrder.nativeOrder())
            .putLong(length)
            .putLong(layout.stride(axis))
            .putLong(out.layout().stride(axis))
            .putLong(parts.lanes())
            .putLong(across ? 1 : 0)
            .flip();
    LoadedKernel kernel = cumsum.get(x.type());
    KernelArguments arguments =
        kernel
            .arguments(4)
            .set(0, walk.argument())
            .set(1, shape)
            .set(2, x.start())
            .set(3, out.start());
    kernel.launch(parts.tiles() * Parts.BLOCK_SIZE, Parts.BLOCK_SIZE, stream, arguments);
  }

  /** The launches of one call. */
  private final class Launch {
    private final HipStream stream;
    private final DeviceBuffer out;
    private final Lines lines;
    private final LoadedKernel[] loaded;
    private final int partialBytes;
    private final long extra;

    Launch(Reduction reduction, DType type, HipStream stream, DeviceBuffer out, Lines lines) {
      this.stream = stream;
      this.out = out;
      this.lines = lines;
      FunctionTable functions = reduction.isSum() ? sum : reduction.isIndex() ? arg : extreme;
      loaded = functions.all(type);
      boolean wide = type.bytes() == 8 || (reduction.isSum() && !type.isFloatingPoint());
      partialBytes = reduction.isIndex() ? 16 : wide ? 8 : 4;
      extra =
          switch (reduction) {
            case SUM -> 1;
            case MEAN -> lines.line().count();
            case MIN, ARGMIN -> -1;
            case MAX, ARGMAX -> 0;
          };
    }

    void elements(DeviceBuffer x) {
      Walk kept = new Walk(lines.starts());
      Walk reduced = new Walk(lines.line());
      boolean across = kept.rank() > 0 && reduced.rank() > 0 && kept.step() < reduced.step();
      Parts parts = Parts.of(kept.count(), reduced.count(), across);
      KernelArguments arguments =
          loaded[ELEMENTS].arguments(6).set(0, kept.argument()).set(1, reduced.argument());
      launch(loaded[ELEMENTS], arguments, parts, x);
    }

    private void partials(DeviceBuffer x, long length) {
      long count = lines.starts().count();
      Parts parts = Parts.of(count, length, count > 1);
      KernelArguments arguments = loaded[PARTIALS].arguments(6).set(0, count).set(1, length);
      launch(loaded[PARTIALS], arguments, parts, x);
    }

    /** Launches a kernel, and others for the partial values that it gives. */
    private void launch(
        LoadedKernel kernel, KernelArguments arguments, Parts parts, DeviceBuffer x) {
      arguments.set(2, parts.argument()).set(3, x).set(5, extra);
      if (parts.chunks() == 1) {
        kernel.launch(parts.threads(), Parts.BLOCK_SIZE, stream, arguments.set(4, out));
        return;
      }
      long values = Math.multiplyExact(parts.chunks(), lines.starts().count());
      try (DeviceBuffer partials = stream.allocate(Math.multiplyExact(values, partialBytes))) {
        kernel.launch(parts.threads(), Parts.BLOCK_SIZE, stream, arguments.set(4, partials));
        partials(partials, parts.chunks());
      }
    }
  }
}
