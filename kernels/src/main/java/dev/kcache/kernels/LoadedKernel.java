// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.hip.HipFunction;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import org.jspecify.annotations.Nullable;

/** A kernel of the catalogue, on a device. Safe for use by any number of threads. */
final class LoadedKernel {
  /** AMD's limit is 2^32 - 1 threads; the kernels step through what more elements there are. */
  private static final int MOST_BLOCKS = 1 << 22;

  private static final int SIZES = 16;

  private final HipFunction function;

  @SuppressWarnings("ThreadLocalUsage") // Arguments belong to a kernel and a thread.
  private final ThreadLocal<@Nullable KernelArguments> arguments = new ThreadLocal<>();

  /** The last sizes of launches. A race costs no more than an object, since they are immutable. */
  private final @Nullable LaunchConfig[] configs = new LaunchConfig[SIZES];

  private int next;

  LoadedKernel(HipFunction function) {
    this.function = function;
  }

  /** Returns this thread's arguments for the kernel, to be set before each launch. */
  KernelArguments arguments(int count) {
    KernelArguments own = arguments.get();
    if (own == null) {
      own = KernelArguments.of(new @Nullable Object[count]);
      arguments.set(own);
    }
    return own;
  }

  /** Launches at least as many threads as are given, in blocks of a size. */
  void launch(long threads, int blockSize, HipStream stream, KernelArguments values) {
    long blocks = Math.max(1, (threads + blockSize - 1) / blockSize);
    function.launch(config((int) Math.min(blocks, MOST_BLOCKS), blockSize), stream, values);
  }

  private LaunchConfig config(int blocks, int blockSize) {
    for (LaunchConfig known : configs) {
      if (known != null && known.gridDims().x() == blocks && known.blockDims().x() == blockSize) {
        return known;
      }
    }
    LaunchConfig config = LaunchConfig.of(blocks, blockSize);
    configs[next++ % SIZES] = config;
    return config;
  }
}
