// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.hip.standin.StandIn.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The kernels that the stand-in computes, loaded on its first device, and memory for results. */
abstract class LaunchTestBase extends StandInTestBase {
  static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  HipModule module;
  HipStream stream;
  DeviceBuffer out;

  LaunchTestBase(Version version) {
    super(version);
  }

  @BeforeEach
  final void load() {
    module = device.load(TestImages.known(standIn.version().platform()));
    stream = device.defaultStream();
    out = device.allocate(64);
  }

  @AfterEach
  final void unload() {
    out.close();
    module.close();
  }

  final void launch(String kernel, KernelArguments arguments) {
    module.function(kernel).launch(ONE, stream, arguments);
  }
}
