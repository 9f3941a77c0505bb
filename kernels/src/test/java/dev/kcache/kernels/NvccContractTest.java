// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.codeobject.TargetId;

/** CUDA's nvcc. */
class NvccContractTest extends ToolchainContract {
  @Override
  String name() {
    TestGpu.assumeNvcc();
    return "nvcc";
  }

  @Override
  TargetId target() {
    return TargetId.parse("sm_90");
  }

  /** It has no -g of clang's meaning. */
  @Override
  String talkative() {
    return "-O0";
  }
}
