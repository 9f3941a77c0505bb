// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** The compiler that comes with ROCm's runtime, for machines without hipcc. */
@NullMarked
module dev.kcache.hiprtc {
  requires static transitive org.jspecify;
  requires transitive dev.kcache.toolchain;
  requires com.sun.jna;

  exports dev.kcache.hiprtc;

  provides dev.kcache.toolchain.ToolchainProvider with
      dev.kcache.hiprtc.HiprtcToolchainProvider;
}
