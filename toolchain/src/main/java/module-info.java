// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Compilers: finding them, knowing them, running them; and finding the target. */
@NullMarked
module dev.kcache.toolchain {
  requires static transitive org.jspecify;
  requires transitive dev.kcache.codeobject;
  requires transitive dev.kcache.rocm;
  requires com.fasterxml.jackson.core;
  requires static com.sun.jna;
  requires org.apache.commons.exec;

  exports dev.kcache.toolchain;
  exports dev.kcache.toolchain.driver;
  exports dev.kcache.toolchain.executor;

  provides dev.kcache.toolchain.ToolchainProvider with
      dev.kcache.toolchain.wsl.WslToolchainProvider;

  uses dev.kcache.toolchain.ToolchainProvider;
}
