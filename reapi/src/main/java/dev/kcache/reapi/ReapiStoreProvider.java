// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStoreProvider;
import java.net.URI;
import java.util.Map;
import java.util.Set;

/**
 * Opens {@code grpc://HOST[:PORT][/INSTANCE]}, and {@code grpcs://…} with TLS, whose certificate
 * has to be one that Java trusts, and of that host. {@code KCACHE_GRPC_HEADERS} holds credentials:
 * headers for each request, as {@code name=value,name=value}.
 */
public final class ReapiStoreProvider implements RemoteStoreProvider {
  /** Creates the provider, as {@link java.util.ServiceLoader} does. */
  public ReapiStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("grpc", "grpcs");
  }

  @Override
  public RemoteStore open(URI address, Map<String, String> environment) {
    requireNonNull(address, "address");
    requireNonNull(environment, "environment");
    return new ReapiStore(GrpcAddress.of(address, environment));
  }
}
