// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Source in, code object out, at most once: works wherever a compiler runs, needs no GPU. */
@NullMarked
@SuppressWarnings("module") // those that parts are exported to are built after this one
module dev.kcache.cache {
  requires jdk.jfr;
  requires static transitive org.jspecify;
  requires transitive dev.kcache.toolchain;
  requires com.fasterxml.jackson.core;
  requires com.github.benmanes.caffeine;

  exports dev.kcache.cache;
  exports dev.kcache.cache.callback to
      dev.kcache.kernels;
  exports dev.kcache.cache.device to
      dev.kcache.cli,
      dev.kcache.kernels;
  exports dev.kcache.cache.directory;
  exports dev.kcache.cache.explain;
  exports dev.kcache.cache.remote;
  exports dev.kcache.cache.signing to
      dev.kcache.cli;
  exports dev.kcache.cache.sync to
      dev.kcache.cli,
      dev.kcache.oci;

  uses dev.kcache.cache.remote.RemoteStoreProvider;
}
