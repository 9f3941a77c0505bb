// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/** On the stand-in for AMD's runtime, with hipcc. */
class KernelManagerOnStandInTest extends KernelManagerContract {
  KernelManagerOnStandInTest() {
    super(Image.OWN);
  }

  @Override
  TestGpu gpu() {
    return TestGpu.ofAmdStandIn();
  }
}
