// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipException;
import dev.kcache.hip.HipRuntime;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.kernels.KernelManager;
import java.util.Map;
import java.util.function.Function;

/**
 * An application as a server deploys it: with kcache in a class loader of its own, of which it
 * knows nothing. Takes an environment; returns an element that a kernel computed. Leaves nothing
 * open but one buffer, as applications do.
 */
public final class Deployed implements Function<Map<String, String>, Float> {
  private static final KernelSource SAXPY =
      KernelSource.of(
          "saxpy.hip",
          """
          #include <hip/hip_runtime.h>
          extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] = a * x[i] + y[i];
          }
          """);
  private static final int UNKNOWN_ERROR = 999;

  /** Creates the application; called by reflection. */
  public Deployed() {}

  @Override
  public Float apply(Map<String, String> environment) {
    if (environment.containsKey("KCACHE_HIP_LIBRARY")) {
      return launch(HipRuntime.find(environment).devices().get(0), environment);
    }
    try (StandInGpu gpu = StandInGpu.builder().kernel("saxpy", Known.SAXPY).build()) {
      gpu.failNext("hipMalloc", UNKNOWN_ERROR);
      refused(gpu.device());
      return launch(gpu.device(), environment);
    }
  }

  /** A failure, which the thread remembers. */
  private static void refused(HipDevice device) {
    try {
      device.allocate(4).close();
      throw new AssertionError("not refused");
    } catch (HipException e) {
      if (e.code() != UNKNOWN_ERROR) {
        throw e;
      }
    }
  }

  private static float launch(HipDevice device, Map<String, String> environment) {
    DeviceBuffer forgotten = device.allocate(4);
    forgotten.fill((byte) 0);
    try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
      cache.getOrCompileAsync(SAXPY, device.target()).join();
    }
    float[] result = {1};
    try (CacheManager cache = CacheManager.builder().environment(environment).build();
        KernelManager kernels = KernelManager.builder().device(device).cache(cache).build();
        DeviceBuffer x = device.allocate(4);
        DeviceBuffer y = device.allocate(4)) {
      x.copyFrom(new float[] {10});
      y.copyFrom(result);
      kernels
          .kernel(SAXPY, "saxpy")
          .launch(
              LaunchConfig.covering(1, 256),
              device.defaultStream(),
              KernelArguments.of(1, 2f, x, y));
      y.copyTo(result);
    }
    return result[0];
  }
}
