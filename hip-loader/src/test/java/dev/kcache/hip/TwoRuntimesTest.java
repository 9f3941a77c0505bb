// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** HIP and HSA in one process: both work, and nothing of one is used with the other. */
class TwoRuntimesTest {
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  private final StandIn hip = StandIn.build(Version.HIP_6_4).reset();
  private final StandIn hsa = StandIn.build(Version.HSA_6_4).reset();

  private HipDevice ofHip;
  private HipDevice ofHsa;

  @BeforeEach
  void find() {
    ofHip = HipRuntime.at(hip.library()).devices().get(0);
    ofHsa = HipRuntime.at(hsa.library()).devices().get(0);
  }

  @AfterEach
  void nothingIsLeft() {
    for (StandIn one : List.of(hip, hsa)) {
      StandIn.Counters counters = one.counters();
      assertThat(counters).isEqualTo(StandIn.Counters.cleanAfter(counters.launches()));
    }
  }

  @Test
  void both_workInTurn() {
    for (HipDevice device : List.of(ofHip, ofHsa, ofHip, ofHsa)) {
      try (HipModule module = device.load(TestImages.known());
          DeviceBuffer buffer = device.allocate(8)) {
        module
            .function("scale")
            .launch(ONE, device.defaultStream(), KernelArguments.of(buffer, 2.0, 1L));
        device.synchronize();
      }
    }
    assertThat(hip.counters().launches()).isEqualTo(2);
    assertThat(hsa.counters().launches()).isEqualTo(2);
  }

  @Test
  void buffer_isNotUsedWithTheOtherRuntime() {
    try (HipModule module = ofHip.load(TestImages.known());
        DeviceBuffer mine = ofHip.allocate(8);
        DeviceBuffer foreign = ofHsa.allocate(8)) {
      HipFunction scale = module.function("scale");
      HipStream stream = ofHip.defaultStream();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> scale.launch(ONE, stream, KernelArguments.of(foreign, 2.0, 1L)))
          .withMessageContaining("device 0 of HIP runtime " + hsa.library())
          .withMessageContaining("device 0 of HIP runtime " + hip.library());
      assertThatIllegalArgumentException().isThrownBy(() -> mine.copyFrom(foreign));
    }
  }

  /** Those that the machine has. */
  @Test
  void realRuntimes_haveNoDeviceInOneProcess() {
    String output =
        RuntimeProbe.run(
            TwoRuntimesProbe.class,
            Map.of("KCACHE_HIP_LIBRARY", "", "ROCM_PATH", "", "HIP_PATH", ""),
            List.of("-Xcheck:jni"));

    assertThat(output)
        .contains("hip: [] []", "hsa: [] []")
        .doesNotContain("FATAL ERROR in native method");
  }
}
