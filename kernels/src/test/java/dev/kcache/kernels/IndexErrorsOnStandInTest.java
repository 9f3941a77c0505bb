// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/** On the stand-in for AMD's runtime, which runs the shipped sources on the host. */
class IndexErrorsOnStandInTest extends IndexErrorsContract {
  @Override
  TestGpu gpu() {
    return TestGpu.ofAmdStandIn();
  }
}
