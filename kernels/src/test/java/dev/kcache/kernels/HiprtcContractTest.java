// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.codeobject.TargetId;

/** The compiler in ROCm's runtime. */
class HiprtcContractTest extends ToolchainContract {
  @Override
  String name() {
    return "hiprtc";
  }

  @Override
  TargetId target() {
    return TargetId.parse("gfx90a:xnack-");
  }
}
