// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.codeobject.TargetId;

/** ROCm's hipcc. */
class HipccContractTest extends ToolchainContract {
  @Override
  String name() {
    return "hipcc";
  }

  @Override
  TargetId target() {
    return TargetId.parse("gfx90a:xnack-");
  }
}
