// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStoreProvider;
import dev.kcache.toolchain.Artifacts;
import dev.kcache.toolchain.Notices;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Opens remotes by the providers that this process has. */
public final class RemoteStores {
  /** kcache's own engines, by the schemes that they bring. */
  private static final Map<String, String> ENGINES =
      Map.of(
          "azblob", "opendal",
          "file", "opendal",
          "gcs", "opendal",
          "grpc", "reapi",
          "grpcs", "reapi",
          "redis", "redis",
          "rediss", "redis",
          "s3", "opendal",
          "webdav", "opendal",
          "webdavs", "opendal");

  private RemoteStores() {}

  /**
   * Returns the stores at the addresses. One whose provider is missing is left out, with one line.
   *
   * @throws IllegalArgumentException if an address is wrong
   */
  public static List<RemoteStore> open(List<URI> addresses, Map<String, String> environment) {
    List<RemoteStore> stores = new ArrayList<>();
    List<RemoteStoreProvider> providers = providers();
    for (URI address : addresses) {
      Optional<RemoteStoreProvider> provider = provider(address, providers);
      if (provider.isPresent()) {
        stores.add(provider.get().open(address, environment));
      } else {
        Notices.warn(
            System.getLogger(RemoteStores.class.getName()),
            "a remote whose address begins with %s:// is not used: %s"
                .formatted(scheme(address), remedy(scheme(address))));
      }
    }
    return stores;
  }

  /**
   * Returns the store at an address.
   *
   * @throws IllegalArgumentException if the address is wrong or kcache has no such remotes
   * @throws IOException if the artifact that opens such remotes is missing
   */
  public static RemoteStore open(URI address, Map<String, String> environment) throws IOException {
    Optional<RemoteStoreProvider> provider = provider(address, providers());
    if (provider.isPresent()) {
      return provider.get().open(address, environment);
    }
    String scheme = scheme(address);
    String problem = "nothing here opens %s://; %s".formatted(scheme, remedy(scheme));
    if (ENGINES.containsKey(scheme)) {
      throw new IOException(problem);
    }
    throw new IllegalArgumentException(problem);
  }

  /** Returns, for each address that has no provider, its beginning and what to do. */
  public static Map<String, String> missing(List<URI> addresses) {
    Map<String, String> missing = new LinkedHashMap<>();
    List<RemoteStoreProvider> providers = addresses.isEmpty() ? List.of() : providers();
    for (URI address : addresses) {
      if (provider(address, providers).isEmpty()) {
        missing.put(scheme(address) + "://", remedy(scheme(address)));
      }
    }
    return missing;
  }

  private static Optional<RemoteStoreProvider> provider(
      URI address, List<RemoteStoreProvider> providers) {
    return providers.stream().filter(each -> each.schemes().contains(scheme(address))).findFirst();
  }

  private static String scheme(URI address) {
    return String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
  }

  private static String remedy(String scheme) {
    String engine = ENGINES.get(scheme);
    return engine == null
        ? "no kcache has such remotes, but " + String.join(", ", known())
        : Artifacts.advice(engine);
  }

  private static List<String> known() {
    return ENGINES.keySet().stream().sorted().map(scheme -> scheme + "://").toList();
  }

  /** Those of this class's loader, and of the thread's, which may be an application's own. */
  private static List<RemoteStoreProvider> providers() {
    List<RemoteStoreProvider> providers = new ArrayList<>();
    addAll(RemoteStoreProvider.class.getClassLoader(), providers);
    addAll(Thread.currentThread().getContextClassLoader(), providers);
    return providers;
  }

  private static void addAll(@Nullable ClassLoader loader, List<RemoteStoreProvider> providers) {
    Iterator<RemoteStoreProvider> found =
        ServiceLoader.load(RemoteStoreProvider.class, loader).iterator();
    try {
      while (found.hasNext()) {
        providers.add(found.next());
      }
    } catch (ServiceConfigurationError e) {
      // A thread of a server may come with another application's copy of kcache; and an engine
      // whose own jars are missing is one that is not there.
      System.getLogger(RemoteStores.class.getName())
          .log(System.Logger.Level.DEBUG, "a provider of remotes that can't be used", e);
    }
  }
}
