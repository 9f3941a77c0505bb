// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.hip.HipStream;
import java.util.EnumMap;
import java.util.Map;

/** Launches the kernels of the rope family. */
final class Rope {
  private static final int BLOCK_SIZE = 256;

  private final KernelManager kernels;
  private final Map<RotaryPairs, FunctionTable> functions = new EnumMap<>(RotaryPairs.class);

  Rope(KernelManager kernels) {
    this.kernels = kernels;
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
    Checks checks = new Checks("rope", kernels.device());
    checks.onDevice("x", x);
    checks.onDevice("cos", cos);
    checks.onDevice("sin", sin);
    checks.onDevice("out", out);
    checks.floats("x", x);
    checks.type("cos", cos, x.type());
    checks.type("sin", sin, x.type());
    checks.type("out", out, x.type());
    checks.axis("x", x, 0);
    long[] shape = x.layout().shape();
    checks.shape("out", out, shape);
    checks.contiguous("x", x);
    checks.contiguous("out", out);
    checks.apart("x", x, out);
    checks.disjoint("cos", cos, out);
    checks.disjoint("sin", sin, out);
    int last = shape.length - 1;
    if (shape[last] % 2 != 0) {
      throw checks.failure("x has rows of %d elements, an odd number".formatted(shape[last]));
    }
    long[] strides = Layout.of(shape).strides();
    strides[last] = pairs == RotaryPairs.INTERLEAVED ? 2 : 1;
    long half = shape[last] / 2;
    shape[last] = half;
    Layout first = Layout.strided(shape, strides, 0);
    Walk walk =
        new Walk(first, checks.broadcast("cos", cos, first), checks.broadcast("sin", sin, first));
    LoadedKernel kernel = requireNonNull(functions.get(pairs)).get(x.type());
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
