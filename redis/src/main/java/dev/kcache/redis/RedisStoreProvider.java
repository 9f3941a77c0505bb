// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStoreProvider;
import java.net.URI;
import java.util.Map;
import java.util.Set;

/**
 * Opens {@code redis://[[USER:]PASSWORD@]HOST[:PORT][/DATABASE]}, and {@code rediss://…} with TLS,
 * whose certificate has to be one that Java trusts, and of that host. Without a password in the
 * address, {@code KCACHE_REDIS_PASSWORD} holds it.
 */
public final class RedisStoreProvider implements RemoteStoreProvider {
  /** Creates the provider, as {@link java.util.ServiceLoader} does. */
  public RedisStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("redis", "rediss");
  }

  @Override
  public RemoteStore open(URI address, Map<String, String> environment) {
    requireNonNull(address, "address");
    requireNonNull(environment, "environment");
    return new RedisStore(RedisAddress.of(address, environment));
  }
}
