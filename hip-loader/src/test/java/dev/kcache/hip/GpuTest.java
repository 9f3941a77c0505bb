// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract on this machine's own GPU, with whatever {@link HipRuntime#find()} finds. */
@Tag("gpu")
class GpuTest extends GpuContract {
  @BeforeAll
  static void requireDevice() {
    ThisMachine.requireDevice();
  }

  @Override
  HipDevice device() {
    return ThisMachine.device();
  }
}
