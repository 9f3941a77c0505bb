// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import dev.kcache.hip.BFloat16;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.Float16;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipFunction;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.kernels.DType;
import dev.kcache.kernels.KernelCatalog;
import dev.kcache.kernels.KernelManager;
import java.util.List;

/**
 * The contiguous addition of the catalogue for one type, of ones and twos. It reads two arrays and
 * writes one, as many bytes as a copy of one and a half arrays moves.
 */
final class BinaryAdd implements Alternation.Side, AutoCloseable {
  /** The bytes of an array that a thread takes at a time: see {@code elementwise.h}. */
  private static final int PACK_BYTES = 16;

  private static final int THREADS_PER_BLOCK = 256;

  private final StreamTimer timer;
  private final DeviceBuffer left;
  private final DeviceBuffer right;
  private final DeviceBuffer out;
  private final HipFunction kernel;
  private final LaunchConfig config;
  private final KernelArguments arguments;
  private final int expected;
  private final int runs;

  /** Compiles if necessary, loads, and fills the operands. */
  BinaryAdd(KernelManager kernels, DType type, Effort effort) {
    HipDevice device = kernels.device();
    long bytes = effort.elements() * type.bytes();
    kernel = kernel(kernels, type);
    config = LaunchConfig.covering(bytes / PACK_BYTES, THREADS_PER_BLOCK);
    timer = new StreamTimer(device);
    left = device.allocate(bytes);
    right = device.allocate(bytes);
    out = device.allocate(bytes);
    left.fillInts(bits(type, 1));
    right.fillInts(bits(type, 2));
    expected = bits(type, 3);
    arguments = KernelArguments.of(effort.elements(), left, right, out);
    runs = effort.kernels();
  }

  private static HipFunction kernel(KernelManager kernels, DType type) {
    String name = "binary_add_" + type;
    return kernels.kernel(KernelCatalog.load().sourceOf(name).orElseThrow(), name);
  }

  /** Returns an int that holds a number once, or twice if it holds two elements. */
  private static int bits(DType type, float value) {
    int half =
        switch (type) {
          case F32 -> 0;
          case F16 -> Float16.of(value).bits();
          case BF16 -> BFloat16.of(value).bits();
          default -> throw new IllegalArgumentException("no numbers are known for " + type);
        };
    return type == DType.F32 ? Float.floatToRawIntBits(value) : (half & 0xffff) * 0x10001;
  }

  /** Returns the configuration: a thread for each pack, which is fastest (docs/performance.md). */
  LaunchConfig config() {
    return config;
  }

  /** Returns the number of bytes read and written. */
  long movedBytes() {
    return 3 * out.size();
  }

  /**
   * Measures the seconds of a run.
   *
   * @throws IllegalStateException if the result is wrong
   */
  @Override
  public List<Double> measure() {
    out.fill((byte) 0xff);
    double seconds = timer.seconds(runs, stream -> kernel.launch(config, stream, arguments));
    checkAt(0);
    checkAt(out.size() - Integer.BYTES);
    return List.of(seconds);
  }

  private void checkAt(long offset) {
    int[] found = new int[1];
    out.slice(offset, Integer.BYTES).copyTo(found);
    if (found[0] != expected) {
      throw new IllegalStateException(
          "%s computed %#x at byte %d, must be %#x".formatted(kernel, found[0], offset, expected));
    }
  }

  @Override
  public void close() {
    out.close();
    right.close();
    left.close();
    timer.close();
  }
}
