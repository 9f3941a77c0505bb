// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import org.junit.jupiter.api.Tag;

/** On this machine's own GPU. */
@Tag("gpu")
class IndexErrorsGpuTest extends IndexErrorsContract {
  @Override
  TestGpu gpu() {
    return TestGpu.ofThisMachine();
  }
}
