// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.hip.HipFunction;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import org.jspecify.annotations.Nullable;

/** A kernel of the catalogue, on a device. Safe for use by any number of threads. */
final class LoadedKernel {
  private final HipFunction function;

  @SuppressWarnings("ThreadLocalUsage") // Arguments belong to a kernel and a thread.
  private final ThreadLocal<@Nullable KernelArguments> arguments = new ThreadLocal<>();

  private volatile @Nullable LaunchConfig lastConfig;

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
    LaunchConfig config = lastConfig;
    if (config == null || config.gridDims().x() != blocks || config.blockDims().x() != blockSize) {
      config = LaunchConfig.of((int) Math.min(blocks, MOST_BLOCKS), blockSize);
      lastConfig = config;
    }
    function.launch(config, stream, values);
  }

  /** AMD's limit is 2^32 - 1 threads; the kernels step through what more elements there are. */
  private static final int MOST_BLOCKS = 1 << 22;
}
