// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheResult;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.kernels.KernelManager;
import dev.kcache.kernels.LoadedModule;
import java.util.Optional;

/**
 * Adds two vectors on a device, from the source of the kernel to the comparison with what Java
 * computes. The host's part is done in pieces, so that it needs no more memory for long vectors.
 */
final class VectorAdd {
  /** The name of the kernel. */
  static final String KERNEL = "vadd";

  private static final int THREADS_PER_BLOCK = 256;
  private static final int PIECE = 1 << 20;

  private final KernelManager kernels;
  private final HipDevice device;
  private final int elements;
  private final Stages stages;

  /** Creates an addition on the manager's device that times its stages. */
  VectorAdd(KernelManager kernels, int elements, Stages stages) {
    this.kernels = kernels;
    this.device = kernels.device();
    this.elements = elements;
    this.stages = stages;
  }

  /**
   * The result of a launch.
   *
   * @param compiled whether the code object was compiled for it, and not found
   * @param mismatch the first element that is wrong, if there is one
   */
  record Result(
      CodeObject code, boolean compiled, LaunchConfig config, Optional<Mismatch> mismatch) {}

  /** An element for which the device and Java compute different values. */
  record Mismatch(long index, float expected, float actual) {
    @Override
    public String toString() {
      return "element %d is %s, must be %s".formatted(index, actual, expected);
    }
  }

  /** Compiles if need be, loads, launches, and compares. */
  Result run() {
    KernelSource source = KernelSource.resource(VectorAdd.class, KERNEL + ".hip");
    CacheResult found =
        stages.time(
            "code object", () -> kernels.cache().deviceRequests().resolve(source, device.target()));
    LoadedModule module = stages.time("load", () -> kernels.getOrCompile(source));
    LaunchConfig config = LaunchConfig.covering(elements, THREADS_PER_BLOCK);
    long size = (long) elements * Float.BYTES;
    try (HipStream stream = device.createStream();
        DeviceBuffer a = device.allocate(size);
        DeviceBuffer b = device.allocate(size);
        DeviceBuffer out = device.allocate(size)) {
      stages.time("copy in", () -> copyIn(a, b));
      KernelArguments arguments = KernelArguments.of(a, b, out, elements);
      stages.time(
          "launch",
          () -> {
            module.function(KERNEL).launch(config, stream, arguments);
            stream.synchronize();
          });
      // What was found may have been refused by the driver, and compiled anew.
      CodeObject loaded = module.codeObject();
      boolean compiled =
          found.origin() == CacheResult.Origin.COMPILED || !found.codeObject().equals(loaded);
      return new Result(
          loaded, compiled, config, stages.time("copy out, check", () -> mismatch(out)));
    }
  }

  private void copyIn(DeviceBuffer a, DeviceBuffer b) {
    for (int start = 0; start < elements; start += PIECE) {
      float[] left = new float[Math.min(PIECE, elements - start)];
      float[] right = new float[left.length];
      for (int i = 0; i < left.length; i++) {
        left[i] = left(start + i);
        right[i] = right(start + i);
      }
      piece(a, start, left.length).copyFrom(left);
      piece(b, start, right.length).copyFrom(right);
    }
  }

  private Optional<Mismatch> mismatch(DeviceBuffer out) {
    for (int start = 0; start < elements; start += PIECE) {
      float[] sums = new float[Math.min(PIECE, elements - start)];
      piece(out, start, sums.length).copyTo(sums);
      for (int i = 0; i < sums.length; i++) {
        float expected = left(start + i) + right(start + i);
        if (sums[i] != expected) {
          return Optional.of(new Mismatch(start + i, expected, sums[i]));
        }
      }
    }
    return Optional.empty();
  }

  private static DeviceBuffer piece(DeviceBuffer buffer, int start, int length) {
    return buffer.slice((long) start * Float.BYTES, (long) length * Float.BYTES);
  }

  /** Not a whole number, and another one for each of many elements in a row. */
  private static float left(int index) {
    return index % 65_521 * 0.25f;
  }

  private static float right(int index) {
    return 1000 - index % 32_749 * 0.5f;
  }
}
