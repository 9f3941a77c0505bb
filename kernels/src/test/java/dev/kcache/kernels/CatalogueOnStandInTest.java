// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.nio.file.Path;
import java.util.List;

/** On the stand-in for AMD's runtime, with hipcc; what runs is the shipped source. */
class CatalogueOnStandInTest extends CatalogueContract {
  @Override
  TestGpu gpu() {
    return TestGpu.ofAmdStandIn();
  }

  @Override
  void prepare(TestGpu gpu, Path scratch) throws Exception {
    for (KernelUnit unit : KernelCatalog.load(List.of(Family.BINARY)).units()) {
      gpu.run(HostKernels.build(scratch, unit));
    }
  }
}
