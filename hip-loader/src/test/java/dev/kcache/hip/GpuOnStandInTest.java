// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Counters;
import dev.kcache.hip.standin.StandIn.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class GpuOnStandInTest extends GpuContract {
  private final StandIn standIn;

  GpuOnStandInTest(Version version) {
    standIn = StandIn.build(version);
  }

  @Override
  HipDevice device() {
    standIn.reset().async(true);
    return HipRuntime.at(standIn.library()).devices().get(0);
  }

  @Override
  @AfterEach
  void close() {
    super.close();
    Counters counters = standIn.counters();
    assertThat(counters).isEqualTo(Counters.cleanAfter(counters.launches()));
  }
}
