// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** On the stand-in for NVIDIA's driver, with nvcc. */
@ParameterizedClass
@EnumSource
class KernelManagerNvccTest extends KernelManagerContract {
  KernelManagerNvccTest(Image image) {
    super(image);
  }

  @Override
  TestGpu gpu() {
    return TestGpu.ofNvidiaStandIn();
  }
}
