// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Counters;
import dev.kcache.hip.standin.StandIn.Version;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two devices of a stand-in; each test has to close what it opens on them. */
abstract class StandInTestBase {
  final StandIn standIn;
  HipDevice device;

  /** Has another processor than {@link #device}. */
  HipDevice other;

  StandInTestBase(Version version) {
    standIn = StandIn.build(version);
  }

  @BeforeEach
  final void findDevices() {
    standIn.devices(standIn.version().defaultDevice(), standIn.version().otherDevice());
    List<HipDevice> devices = HipRuntime.at(standIn.library()).devices();
    device = devices.get(0);
    other = devices.get(1);
  }

  @AfterEach
  final void nothingIsLeft() {
    assertThat(standIn.counters()).isEqualTo(Counters.cleanAfter(standIn.counters().launches()));
  }
}
