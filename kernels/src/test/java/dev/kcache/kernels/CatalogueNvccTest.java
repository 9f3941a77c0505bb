// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/** On the stand-in for NVIDIA's driver, with nvcc. */
class CatalogueNvccTest extends CatalogueContract {
  @Override
  TestGpu gpu() {
    return TestGpu.ofNvidiaStandIn();
  }
}
