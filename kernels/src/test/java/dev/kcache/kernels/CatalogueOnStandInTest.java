// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/** On the stand-in for AMD's runtime, with hipcc; what runs is the shipped source. */
class CatalogueOnStandInTest extends CatalogueContract {
  @Override
  TestGpu gpu() {
    return TestGpu.ofAmdStandIn();
  }
}
