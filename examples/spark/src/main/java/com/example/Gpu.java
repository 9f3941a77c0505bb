// SPDX-License-Identifier: Apache-2.0
package com.example;

import dev.kcache.cache.KernelSource;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.kernels.KernelManager;

/**
 * The kernels on the GPU of an executor. They belong to its JVM: a task reaches them by static
 * methods, so that no closure carries them over the network.
 */
final class Gpu {
  private static final KernelSource SAXPY = KernelSource.resource(Gpu.class, "saxpy.hip");

  private static KernelManager kernels;

  private Gpu() {}

  /**
   * Returns the one manager of this JVM, which lives as long as it does. The first task creates it.
   * It is no constant: where that fails, each task that Spark tries again fails with the reason,
   * not with a NoClassDefFoundError.
   */
  private static synchronized KernelManager kernels() {
    if (kernels == null) {
      kernels = KernelManager.create();
    }
    return kernels;
  }

  /**
   * Returns {@code x + a * x}. Tasks of one executor call it at the same time, each with a stream
   * of its own.
   */
  static float[] saxpy(float a, float[] x) {
    KernelManager kernels = kernels();
    float[] sum = x.clone();
    try (HipStream stream = kernels.device().createStream();
        DeviceBuffer left = kernels.device().allocate(4L * x.length);
        DeviceBuffer right = kernels.device().allocate(4L * x.length)) {
      left.copyFrom(x);
      right.copyFrom(x);
      kernels
          .kernel(SAXPY, "saxpy")
          .launch(
              LaunchConfig.covering(x.length, 256),
              stream,
              KernelArguments.of(x.length, a, left, right));
      stream.synchronize();
      right.copyTo(sum);
    }
    return sum;
  }
}
