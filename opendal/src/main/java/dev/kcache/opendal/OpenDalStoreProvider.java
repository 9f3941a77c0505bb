// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStoreProvider;
import java.net.URI;
import java.util.Map;
import java.util.Set;

/**
 * Opens {@code s3://BUCKET}, {@code gcs://BUCKET}, {@code azblob://CONTAINER}, {@code
 * webdav://HOST}, {@code webdavs://HOST} and {@code file:///PATH}. Credentials come from the
 * environment alone; an address that holds some is refused.
 */
public final class OpenDalStoreProvider implements RemoteStoreProvider {
  /** Creates the provider, as {@link java.util.ServiceLoader} does. */
  public OpenDalStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return OpenDalAddress.schemes();
  }

  @Override
  public RemoteStore open(URI address, Map<String, String> environment) {
    requireNonNull(address, "address");
    requireNonNull(environment, "environment");
    return new OpenDalStore(OpenDalAddress.of(address, environment));
  }
}
