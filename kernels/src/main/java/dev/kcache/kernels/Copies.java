// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import java.util.List;

/** Launches the kernels that write elements without a look at what they stand for. */
final class Copies {
  private static final int PLAIN = 0;
  private static final int STRIDED = 1;
  private static final int TRANSPOSED = 2;
  private static final int BLOCK_SIZE = 256;

  /** As many elements as a strided kernel copies at once, at most. */
  private static final int STRIDED_PACK = 4;

  /** Of fewer rows or columns than this, a tile would be mostly empty. */
  private static final int SMALLEST_SIDE = 16;

  private static final int X = 0;
  private static final int OUT = 1;

  private final Checks copyChecks;
  private final Checks concatChecks;
  private final Checks fillChecks;
  private final ThreadLocal<Scratch> scratch;
  private final FunctionTable copy;
  private final FunctionTable fill;

  Copies(KernelManager kernels, ThreadLocal<Scratch> scratch) {
    copyChecks = new Checks("copy", kernels.device());
    concatChecks = new Checks("concat", kernels.device());
    fillChecks = new Checks("fill", kernels.device());
    this.scratch = scratch;
    copy = new FunctionTable(kernels, Family.COPY, "copy", "_strided", "_transposed");
    fill = new FunctionTable(kernels, Family.COPY, "fill", "_strided");
  }

  /** Returns the type that stands for all types of elements of one size. */
  static DType word(DType type) {
    return switch (type.bytes()) {
      case 1 -> DType.U8;
      case 2 -> DType.F16;
      case 4 -> DType.U32;
      default -> DType.I64;
    };
  }

  void copy(DeviceTensor x, DeviceTensor out, HipStream stream) {
    check(copyChecks, "x", x, out);
    copyChecks.apart("x", x, out);
    launch(copyChecks, x, out, stream);
  }

  private static void check(Checks checks, String name, DeviceTensor x, DeviceTensor out) {
    checks.type("out", out, x.type());
    checks.onDevice(name, x);
    checks.onDevice("out", out);
    checks.distinct("out", out);
  }

  void concat(List<DeviceTensor> parts, int axis, DeviceTensor out, HipStream stream) {
    Checks checks = concatChecks;
    Layout whole = out.layout();
    long[] shape = whole.shape();
    DeviceTensor[] slices = new DeviceTensor[parts.size()];
    long end = 0;
    checks.axis("out", out, axis);
    for (int i = 0; i < slices.length; i++) {
      DeviceTensor part = parts.get(i);
      String name = "part " + i;
      check(checks, name, part, out);
      checks.rank(name, part, shape.length);
      shape[axis] = part.layout().extent(axis);
      checks.shape(name, part, shape);
      long start = end;
      end = Math.addExact(start, shape[axis]);
      if (end > whole.extent(axis)) {
        break;
      }
      slices[i] = out.withLayout(whole.slice(axis, start, end));
      if (part.buffer() != out.buffer() || !part.layout().equals(slices[i].layout())) {
        checks.apart(name, part, out);
      }
    }
    if (end != whole.extent(axis)) {
      throw checks.failure(
          "the extents of the parts along dimension %d must add up to %d"
              .formatted(axis, whole.extent(axis)));
    }
    for (int i = 0; i < slices.length; i++) {
      launch(checks, parts.get(i), slices[i], stream);
    }
  }

  private void launch(Checks checks, DeviceTensor x, DeviceTensor out, HipStream stream) {
    LoadedKernel[] kernel = copy.all(word(out.type()));
    long count = out.layout().count();
    if (out.layout().isContiguous()
        && x.layout().isContiguous()
        && x.layout().hasShapeOf(out.layout())) {
      launchPlain(kernel[PLAIN], count, x, out, stream);
      return;
    }
    checks.broadcast("x", x, scratch.get().shapeOf(out.layout()));
    Walk walk = walk(x.layout(), out.layout());
    if (walk.isContiguous()) {
      launchPlain(kernel[PLAIN], count, x, out, stream);
      return;
    }
    int rows = closestOfX(walk);
    int columns = walk.rank() - 1;
    boolean transposed =
        rows != columns
            && walk.extent(rows) >= SMALLEST_SIDE
            && walk.extent(columns) >= SMALLEST_SIDE;
    long threads = count;
    if (transposed) {
      walk.moveBeforeLast(rows);
      threads = tiles(walk, out.type()) * BLOCK_SIZE;
    } else if (walk.stride(OUT, columns) == 1) {
      threads = count / Math.min(STRIDED_PACK, 16 / out.type().bytes()) + 1;
    }
    LoadedKernel chosen = kernel[transposed ? TRANSPOSED : STRIDED];
    KernelArguments arguments = chosen.arguments(3).set(0, walk.argument());
    chosen.launch(threads, BLOCK_SIZE, stream, arguments.set(1, x.start()).set(2, out.start()));
  }

  private static void launchPlain(
      LoadedKernel kernel, long count, DeviceTensor x, DeviceTensor out, HipStream stream) {
    KernelArguments arguments =
        kernel.arguments(3).set(0, count).set(1, x.start()).set(2, out.start());
    kernel.launch(count / (16 / out.type().bytes()) + 1, BLOCK_SIZE, stream, arguments);
  }

  /** Returns a walk in which out is met as far as possible from place to place. */
  private Walk walk(Layout x, Layout out) {
    Walk walk = scratch.get().walk(2);
    for (int d = 0; d < out.rank(); d++) {
      walk.add(out.extent(d), x.strideIn(out.rank(), d), out.stride(d));
    }
    return walk.outermostFirst(OUT).merge();
  }

  /** Returns the dimension along which neighbours in x are closest; the last, if it repeats x. */
  private static int closestOfX(Walk walk) {
    int closest = walk.rank() - 1;
    for (int d = walk.rank() - 2; d >= 0; d--) {
      long stride = Math.abs(walk.stride(X, d));
      if (stride != 0 && stride < Math.abs(walk.stride(X, closest))) {
        closest = d;
      }
    }
    return closest;
  }

  /** Returns the number of tiles of {@code copy.hip}. */
  private static long tiles(Walk walk, DType type) {
    int side = type.bytes() < 8 ? 64 : 32;
    long tiles = 1;
    for (int d = 0; d < walk.rank(); d++) {
      boolean tiled = d >= walk.rank() - 2;
      tiles *= tiled ? (walk.extent(d) + side - 1) / side : walk.extent(d);
    }
    return tiles;
  }

  void fill(DeviceTensor out, double value, HipStream stream) {
    fillBits(out, Scalars.bits(fillChecks, out.type(), value), stream);
  }

  void fill(DeviceTensor out, long value, HipStream stream) {
    fillBits(out, Scalars.bits(fillChecks, out.type(), value), stream);
  }

  private void fillBits(DeviceTensor out, long bits, HipStream stream) {
    fillChecks.onDevice("out", out);
    fillChecks.distinct("out", out);
    boolean plain = out.layout().isContiguous();
    long count = out.layout().count();
    LoadedKernel kernel = fill.all(word(out.type()))[plain ? PLAIN : STRIDED];
    KernelArguments arguments = kernel.arguments(3);
    long threads = count;
    if (plain) {
      arguments.set(0, count);
      threads = count / (16 / out.type().bytes()) + 1;
    } else {
      Walk walk = scratch.get().walk(1);
      for (int d = 0; d < out.layout().rank(); d++) {
        walk.add(out.layout().extent(d), out.layout().stride(d));
      }
      arguments.set(0, walk.outermostFirst(0).merge().argument());
    }
    switch (out.type().bytes()) {
      case 1 -> arguments.set(1, (byte) bits);
      case 2 -> arguments.set(1, (short) bits);
      case 4 -> arguments.set(1, (int) bits);
      default -> arguments.set(1, bits);
    }
    kernel.launch(threads, BLOCK_SIZE, stream, arguments.set(2, out.start()));
  }
}
