// SPDX-License-Identifier: Apache-2.0
package com.example;

import dev.kcache.cache.KernelSource;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.kernels.KernelManager;
import java.util.Arrays;

/** Adds twice a vector to another on the GPU. The jar carries the compiled kernel. */
public final class App {
  private static final KernelSource SAXPY = KernelSource.resource(App.class, "saxpy.hip");

  private App() {}

  /** Prints the sum. */
  public static void main(String[] arguments) {
    try (KernelManager kernels = KernelManager.create()) {
      System.out.println(Arrays.toString(saxpy(kernels, 2, new float[] {1, 2, 3, 4})));
    }
  }

  /** Returns {@code x + a * x}. */
  static float[] saxpy(KernelManager kernels, float a, float[] x) {
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
