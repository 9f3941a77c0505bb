// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.HipStream;
import java.util.EnumMap;
import java.util.Map;

/** Launches the kernels of the rope family. */
final class Rope {
  private static final int BLOCK_SIZE = 256;

  private final Checks checks;
  private final ThreadLocal<Scratch> scratch;
  private final Map<RotaryPairs, FunctionTable> functions = new EnumMap<>(RotaryPairs.class);

  Rope(KernelManager kernels, ThreadLocal<Scratch> scratch) {
    checks = new Checks("rope", kernels.device());
    this.scratch = scratch;
    for (RotaryPairs pairs : RotaryPairs.values()) {
      functions.put(pairs, new FunctionTable(kernels, Family.ROPE, Family.ROPE + "_" + pairs));
    }
  }

  void rope(
      RotaryPairs pairs,
      DeviceTensor x,
      DeviceTensor cos,
      DeviceTensor sin,
      DeviceTensor out,
      HipStream stream) {
    checks.onDevice("x", x);
    checks.onDevice("cos", cos);
    checks.onDevice("sin", sin);
    checks.onDevice("out", out);
    checks.floats("x", x);
    checks.type("cos", cos, x.type());
    checks.type("sin", sin, x.type());
    checks.type("out", out, x.type());
    checks.axis("x", x, 0);
    checks.shapeOf("out", out, x);
    checks.contiguous("x", x);
    checks.contiguous("out", out);
    checks.apart("x", x, out);
    checks.disjoint("cos", cos, out);
    checks.disjoint("sin", sin, out);
    int last = x.layout().rank() - 1;
    long rowSize = x.layout().extent(last);
    if (rowSize % 2 != 0) {
      throw checks.failure("x has rows of %d elements, an odd number".formatted(rowSize));
    }
    LoadedKernel kernel = requireNonNull(functions.get(pairs)).get(x.type());
    long half = rowSize / 2;
    long[] shape = scratch.get().shapeOf(x.layout());
    shape[last] = half;
    checks.broadcast("cos", cos, shape);
    checks.broadcast("sin", sin, shape);
    Walk walk = scratch.get().walk(3);
    long inRow = pairs == RotaryPairs.INTERLEAVED ? 2 : 1;
    for (int d = 0; d <= last; d++) {
      walk.add(
          shape[d],
          d == last ? inRow : x.layout().stride(d),
          cos.layout().strideIn(shape.length, d),
          sin.layout().strideIn(shape.length, d));
    }
    walk.merge();
    // As rope.hip has it.
    int pack = half % 4 != 0 ? 1 : x.type() == DType.F64 ? 2 : 4;
    kernel.launch(
        walk.count() / pack + 1,
        BLOCK_SIZE,
        stream,
        kernel
            .arguments(6)
            .set(0, walk.argument())
            .set(1, half)
            .set(2, x.start())
            .set(3, cos.start())
            .set(4, sin.start())
            .set(5, out.start()));
  }
}
