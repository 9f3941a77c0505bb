// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Redis as a remote of a cache, by Lettuce. */
@NullMarked
module dev.kcache.redis {
  requires static transitive org.jspecify;
  requires transitive dev.kcache.cache;
  requires io.netty.common;
  requires lettuce.core;

  exports dev.kcache.redis;

  provides dev.kcache.cache.remote.RemoteStoreProvider with
      dev.kcache.redis.RedisStoreProvider;
}
