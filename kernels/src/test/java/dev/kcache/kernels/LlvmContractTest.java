// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.codeobject.TargetId;

/** The embedded LLVM for AMD's GPUs. */
class LlvmContractTest extends ToolchainContract {
  @Override
  String name() {
    return "llvm";
  }

  @Override
  TargetId target() {
    return TargetId.parse("gfx90a:xnack-");
  }
}
