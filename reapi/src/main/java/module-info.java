// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/**
 * A server of the Remote Execution API, by grpc: as a remote of a cache, and as what runs
 * compilers.
 */
@NullMarked
module dev.kcache.reapi {
  requires static transitive org.jspecify;
  requires transitive dev.kcache.cache;
  requires transitive dev.kcache.toolchain;
  requires com.google.common;
  requires com.google.protobuf;
  requires io.grpc;
  requires io.grpc.netty.shaded;
  requires io.grpc.protobuf;
  requires io.grpc.stub;
  // Netty and protobuf, which have no descriptor of their own to say so.
  requires jdk.unsupported;

  exports dev.kcache.reapi;

  provides dev.kcache.cache.remote.RemoteStoreProvider with
      dev.kcache.reapi.ReapiStoreProvider;
  provides dev.kcache.toolchain.ToolchainProvider with
      dev.kcache.reapi.ExecutorToolchainProvider;
}
