// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;

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

  private final Map<Reduction, Checks> reduceChecks = new EnumMap<>(Reduction.class);
  private final Checks cumsumChecks;
  private final ThreadLocal<Scratch> scratch;
  private final FunctionTable sum;
  private final FunctionTable extreme;
  private final FunctionTable arg;
  private final FunctionTable cumsum;

  Reductions(KernelManager kernels, ThreadLocal<Scratch> scratch) {
    for (Reduction each : Reduction.values()) {
      reduceChecks.put(each, new Checks(each.toString(), kernels.device()));
    }
    cumsumChecks = new Checks("cumsum", kernels.device());
    this.scratch = scratch;
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
    Checks checks = requireNonNull(reduceChecks.get(reduction));
    int along = bits(checks, x, axes);
    if (reduction == Reduction.MEAN) {
      checks.floats("x", x);
    }
    checks.type("out", out, reduction.result(x.type()));
    checks.onDevice("x", x);
    checks.onDevice("out", out);
    checks.contiguous("out", out);
    checks.shape("out", out, shapeWithout(along, x.layout(), out.layout().rank()));
    checks.apart("x", x, out);
    boolean empty = x.layout().count() == 0;
    if (empty && !reduction.isSum() && out.layout().count() > 0) {
      throw checks.failure("x has no element along the axes");
    }
    reduce(reduction, x, along, out, stream);
  }

  /** Returns a bit for each axis. */
  private static int bits(Checks checks, DeviceTensor x, int... axes) {
    int bits = 0;
    for (int axis : axes) {
      checks.axis("x", x, axis);
      if (has(bits, axis)) {
        throw checks.failure("axis %d is given twice".formatted(axis));
      }
      bits |= 1 << axis;
    }
    return axes.length == 0 ? (1 << x.layout().rank()) - 1 : bits;
  }

  private static boolean has(int bits, int axis) {
    return (bits >> axis & 1) != 0;
  }

  /** Returns a shape without some axes, or with extents of 1 in their place to have its rank. */
  private long[] shapeWithout(int bits, Layout layout, int rank) {
    boolean ones = rank == layout.rank();
    long[] shape = scratch.get().shape(ones ? rank : layout.rank() - Integer.bitCount(bits));
    int next = 0;
    for (int d = 0; d < layout.rank(); d++) {
      if (!has(bits, d)) {
        shape[next++] = layout.extent(d);
      } else if (ones) {
        shape[next++] = 1;
      }
    }
    return shape;
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
    Checks checks = cumsumChecks;
    Layout layout = x.layout();
    checks.axis("x", x, axis);
    checks.type("out", out, Reduction.SUM.result(x.type()));
    checks.onDevice("x", x);
    checks.onDevice("out", out);
    checks.contiguous("out", out);
    checks.shapeOf("out", out, x);
    checks.apart("x", x, out);
    LoadedKernel kernel = cumsum.get(x.type());
    Walk walk = scratch.get().walk(2);
    for (int d = 0; d < layout.rank(); d++) {
      if (d != axis) {
        walk.add(layout.extent(d), stride(layout, d), stride(out.layout(), d));
      }
    }
    walk.merge();
    long length = layout.extent(axis);
    boolean across = walk.rank() > 0 && length > 1 && walk.step() < Math.abs(layout.stride(axis));
    Parts parts = scratch.get().parts().divide(walk.count(), length, across);
    ByteBuffer shape =
        scratch
            .get()
            .struct()
            .putLong(length)
            .putLong(layout.stride(axis))
            .putLong(out.layout().stride(axis))
            .putLong(parts.lanes())
            .putLong(across ? 1 : 0)
            .flip();
    KernelArguments arguments =
        kernel
            .arguments(4)
            .set(0, walk.argument())
            .set(1, shape)
            .set(2, x.start())
            .set(3, out.start());
    kernel.launch(parts.tiles() * Parts.BLOCK_SIZE, Parts.BLOCK_SIZE, stream, arguments);
  }

  private void reduce(
      Reduction reduction, DeviceTensor x, int along, DeviceTensor out, HipStream stream) {
    FunctionTable functions = reduction.isSum() ? sum : reduction.isIndex() ? arg : extreme;
    LoadedKernel[] loaded = functions.all(x.type());
    KernelArguments arguments = loaded[ELEMENTS].arguments(6);
    Walk kept = walk(x.layout(), ~along);
    long lines = kept.count();
    long step = kept.rank() == 0 ? Long.MAX_VALUE : kept.step();
    arguments.set(0, kept.argument());
    Walk reduced = walk(x.layout(), along);
    boolean across = reduced.rank() > 0 && step < reduced.step();
    Parts parts = scratch.get().parts().divide(lines, reduced.count(), across);
    long extra =
        switch (reduction) {
          case SUM -> 1;
          case MEAN -> reduced.count();
          case MIN, ARGMIN -> -1;
          case MAX, ARGMAX -> 0;
        };
    arguments.set(1, reduced.argument()).set(3, x.start()).set(5, extra);
    if (parts.chunks() == 1) {
      launch(loaded[ELEMENTS], arguments, parts, out.start(), stream);
    } else {
      boolean wide = x.type().bytes() == 8 || (reduction.isSum() && !x.type().isFloatingPoint());
      int bytes = reduction.isIndex() ? 16 : wide ? 8 : 4;
      Joint joint = new Joint(loaded[PARTIALS], bytes, lines, extra, out.start(), stream);
      launchParts(loaded[ELEMENTS], arguments, parts, joint);
    }
  }

  private static void launch(
      LoadedKernel kernel,
      KernelArguments arguments,
      Parts parts,
      DeviceBuffer out,
      HipStream stream) {
    arguments.set(2, parts.argument()).set(4, out);
    kernel.launch(parts.threads(), Parts.BLOCK_SIZE, stream, arguments);
  }

  /** Launches a kernel that gives partial values, and others for them. */
  private void launchParts(
      LoadedKernel kernel, KernelArguments arguments, Parts parts, Joint joint) {
    long chunks = parts.chunks();
    long values = Math.multiplyExact(chunks, joint.lines());
    HipStream stream = joint.stream();
    // Before the allocation, which can wait, and the wait run others' launches here.
    arguments.set(2, parts.argument());
    long threads = parts.threads();
    try (DeviceBuffer partials = stream.allocate(Math.multiplyExact(values, joint.bytes()))) {
      kernel.launch(threads, Parts.BLOCK_SIZE, stream, arguments.set(4, partials));
      parts.divide(joint.lines(), chunks, joint.lines() > 1);
      KernelArguments rest = joint.kernel().arguments(6).set(0, joint.lines()).set(1, chunks);
      rest.set(3, partials).set(5, joint.extra());
      if (parts.chunks() == 1) {
        launch(joint.kernel(), rest, parts, joint.out(), stream);
      } else {
        launchParts(joint.kernel(), rest, parts, joint);
      }
    }
  }

  /**
   * How partial values are joined.
   *
   * @param kernel that joins them
   * @param bytes of one
   * @param lines how many results there are
   * @param extra what both kernels are passed
   * @param out where the results go
   */
  private record Joint(
      LoadedKernel kernel, int bytes, long lines, long extra, DeviceBuffer out, HipStream stream) {}

  /** Returns the walk along the axes of some bits. */
  private Walk walk(Layout layout, int bits) {
    Walk walk = scratch.get().walk(1);
    for (int d = 0; d < layout.rank(); d++) {
      if (has(bits, d)) {
        walk.add(layout.extent(d), stride(layout, d));
      }
    }
    return walk.merge();
  }

  /** Returns a stride; 0 without elements: kernels add strides also where they read nothing. */
  private static long stride(Layout layout, int axis) {
    return layout.count() == 0 ? 0 : layout.stride(axis);
  }
}
