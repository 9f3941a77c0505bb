// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The runtime that hipcc's packages bring along, on a machine without a GPU. */
class RealRuntimeTest {
  private final HipRuntime hip = HipRuntime.find(Map.of());

  @Test
  void runtime_isThereAndSaysItsVersion() {
    assertThat(hip.unavailability()).isEmpty();
    assertThat(hip.version().major()).isIn(5, 6, 7);
    assertThat(hip.driverVersion()).isEqualTo(hip.version());
  }

  @Test
  void noDevice_isAnEmptyList() {
    assertThat(hip.devices()).isEmpty();
  }
}
