// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where {@code KCACHE_RUNTIME} asks for the stand-in of kcache-testing, which is not here. */
class StandInAbsenceTest {
  @Test
  void standIn_withoutItsArtifact_isOneLineThatNamesIt() {
    HipRuntime hip = HipRuntime.find(Map.of("KCACHE_RUNTIME", "stand-in"));

    assertThat(hip.unavailability().orElseThrow())
        .hasMessage(
            "no usable HIP runtime library: KCACHE_RUNTIME='stand-in': no kcache-testing on the"
                + " class path or module path; add the artifact dev.kcache:kcache-testing, or unset"
                + " KCACHE_RUNTIME");
  }
}
