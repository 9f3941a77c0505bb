// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** A compiler out of the class path, for machines without ROCm. */
@NullMarked
module dev.kcache.llvm {
  requires static transitive org.jspecify;
  requires transitive dev.kcache.toolchain;

  exports dev.kcache.llvm;

  provides dev.kcache.toolchain.ToolchainProvider with
      dev.kcache.llvm.LlvmToolchainProvider;
}
