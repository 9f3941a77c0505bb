// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/** On the stand-in for AMD's HSA, with hipcc. */
class CatalogueOnHsaTest extends CatalogueContract {
  @Override
  TestGpu gpu() {
    return TestGpu.ofHsaStandIn();
  }
}
