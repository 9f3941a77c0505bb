// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.fleet.RemoteStores;
import dev.kcache.cache.fleet.RemoteTier;
import dev.kcache.cache.remote.RemoteHealth;
import dev.kcache.cache.remote.RemoteMode;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.rocm.Environment;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Which remotes a manager has, and what it does with them: the builder's settings, else the
 * environment's. An address may hold a password, so no message shows one.
 */
record RemoteSettings(List<URI> addresses, RemoteMode mode) {
  /**
   * Returns the settings of a manager.
   *
   * @param disabled whether the manager uses no cache, so that wrong settings are refused and no
   *     remote is used
   */
  static RemoteSettings of(CacheManagerBuilder builder, boolean disabled) {
    Environment environment = new Environment(builder.environment);
    List<URI> named = environment.get("KCACHE_REMOTE").map(RemoteSettings::uris).orElse(List.of());
    RemoteMode mode =
        environment.get("KCACHE_REMOTE_MODE").map(RemoteSettings::mode).orElse(RemoteMode.READ);
    List<URI> addresses = builder.remotes != null ? builder.remotes : named;
    return new RemoteSettings(
        disabled ? List.of() : addresses, builder.remoteMode != null ? builder.remoteMode : mode);
  }

  /** Returns the tier of a manager; connects to none of the remotes. */
  RemoteTier open(CacheManagerBuilder builder, SignaturePolicy signatures) {
    return new RemoteTier(
        addresses.isEmpty() ? List.of() : RemoteStores.open(addresses, builder.environment),
        mode == RemoteMode.READ_WRITE,
        builder.remoteWaits,
        builder.nanoTime,
        builder.remoteJitter,
        signatures);
  }

  /** Returns the state of each remote, also of those that no engine opens. */
  List<RemoteHealth> health(RemoteTier tier) {
    List<RemoteHealth> health = new ArrayList<>(tier.health());
    RemoteStores.missing(addresses)
        .forEach(
            (address, remedy) ->
                health.add(
                    new RemoteHealth(
                        address,
                        mode,
                        Optional.empty(),
                        Optional.of("nothing here opens such remotes; " + remedy))));
    return health;
  }

  private static List<URI> uris(String value) {
    return Arrays.stream(value.split(","))
        .map(String::strip)
        .filter(part -> !part.isEmpty())
        .map(RemoteSettings::uri)
        .toList();
  }

  private static URI uri(String address) {
    try {
      URI uri = new URI(address);
      if (uri.getScheme() != null) {
        return uri;
      }
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(
          "KCACHE_REMOTE holds something that is not a URL (%s at character %d); separate several by commas, such as redis://HOST"
              .formatted(e.getReason(), e.getIndex() + 1));
    }
    throw new IllegalArgumentException(
        "KCACHE_REMOTE holds something without a scheme; name URLs, such as redis://HOST");
  }

  private static RemoteMode mode(String value) {
    return switch (value) {
      case "read" -> RemoteMode.READ;
      case "read-write" -> RemoteMode.READ_WRITE;
      default ->
          throw new IllegalArgumentException(
              "KCACHE_REMOTE_MODE='" + value + "' is unknown; use read or read-write");
    };
  }
}
