// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Counters;
import dev.kcache.hip.standin.StandIn.Version;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CudaSliceTest {
  private static final StandIn STAND_IN = StandIn.build(Version.CUDA_13_0);

  @ParameterizedTest
  @ValueSource(strings = {TestImages.KNOWN_CUBIN, TestImages.KNOWN_PTX})
  void vadd_runs(String image) {
    STAND_IN.reset();
    HipRuntime hip = HipRuntime.at(STAND_IN.library());
    HipDevice device = hip.devices().get(0);
    assertThat(hip.platform()).isEqualTo(Platform.NVIDIA);
    float[] sums = new float[3];
    try (HipModule module = device.load(TestImages.codeObject(image));
        HipStream stream = device.createStream();
        DeviceBuffer a = device.allocate(12);
        DeviceBuffer b = device.allocate(12);
        DeviceBuffer out = device.allocate(12)) {
      a.copyFrom(new float[] {1, 2, 3});
      b.copyFrom(new float[] {10, 20, 30});
      module
          .function("vadd")
          .launch(LaunchConfig.of(1, 64), stream, KernelArguments.of(a, b, out, 3));
      stream.synchronize();
      out.copyTo(sums);
    }
    assertThat(sums).containsExactly(11, 22, 33);
    assertThat(STAND_IN.counters()).isEqualTo(Counters.cleanAfter(1));
  }
}
