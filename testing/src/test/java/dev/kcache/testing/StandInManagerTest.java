// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.kernels.KernelManager;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A manager on a stand-in GPU, with the real compiler. */
class StandInManagerTest {
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

  @Test
  void saxpy_isCompiledLoadedAndComputedByItsBody(@TempDir Path directory) {
    Map<String, String> environment =
        Map.of("PATH", System.getenv("PATH"), "KCACHE_DIR", directory.toString());
    try (StandInGpu gpu = StandInGpu.builder().memory("1GB").kernel("saxpy", Known.SAXPY).build();
        CacheManager cache = CacheManager.builder().environment(environment).build()) {
      HipDevice device = gpu.device();
      float[] result = new float[1000];
      try (KernelManager kernels = KernelManager.builder().device(device).cache(cache).build();
          DeviceBuffer x = device.allocate(4000);
          DeviceBuffer y = device.allocate(4000)) {
        float[] values = new float[1000];
        Arrays.fill(values, 10);
        result[999] = 999;
        x.copyFrom(values);
        y.copyFrom(result);
        kernels
            .kernel(SAXPY, "saxpy")
            .launch(
                LaunchConfig.covering(1000, 256),
                device.defaultStream(),
                KernelArguments.of(1000, 2f, x, y));
        y.copyTo(result);
      }
      assertThat(result[0]).isEqualTo(20);
      assertThat(result[999]).isEqualTo(1019);
      assertThat(gpu.launches()).singleElement().hasToString("saxpy<<<4x1x1, 256x1x1>>>");
      assertThat(gpu.leaks()).isEmpty();
    }
  }
}
