// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.Platform;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** What only NVIDIA's platform has, on this machine's own GPU. */
@Tag("gpu")
class CudaGpuTest extends CudaContract {
  @BeforeAll
  static void requireDevice() {
    ThisMachine.requireDevice(Platform.NVIDIA);
  }

  @Override
  HipDevice device() {
    return ThisMachine.device();
  }
}
