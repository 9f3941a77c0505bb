// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Source in, code object out: works wherever a compiler runs, needs no GPU. */
@NullMarked
@SuppressWarnings("module") // those that parts are exported to are built after this one
module dev.kcache.cache {
  requires static transitive org.jspecify;
  requires transitive dev.kcache.codeobject;
  requires com.fasterxml.jackson.core;
  requires com.github.benmanes.caffeine;
  requires org.apache.commons.exec;

  exports dev.kcache.cache;
  exports dev.kcache.cache.callback to
      dev.kcache.kernels;
  exports dev.kcache.cache.toolchain to
      dev.kcache.hiprtc,
      dev.kcache.llvm;

  uses dev.kcache.cache.ToolchainProvider;
}
