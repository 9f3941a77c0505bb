// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStoreProvider;
import dev.kcache.toolchain.Notices;
import java.net.URI;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Opens remotes by the providers that this process has. */
public final class RemoteStores {
  /** kcache's own artifacts, by the schemes that they bring. */
  private static final Map<String, String> ARTIFACTS =
      Map.of(
          "azblob", "kcache-opendal",
          "file", "kcache-opendal",
          "gcs", "kcache-opendal",
          "redis", "kcache-redis",
          "rediss", "kcache-redis",
          "s3", "kcache-opendal",
          "webdav", "kcache-opendal",
          "webdavs", "kcache-opendal");

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
      String scheme = String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
      Optional<RemoteStoreProvider> provider =
          providers.stream().filter(each -> each.schemes().contains(scheme)).findFirst();
      if (provider.isPresent()) {
        stores.add(provider.get().open(address, environment));
      } else {
        tellOfMissing(scheme);
      }
    }
    return stores;
  }

  private static void tellOfMissing(String scheme) {
    String artifact = ARTIFACTS.get(scheme);
    String problem =
        artifact == null
            ? "no kcache has such remotes, but " + String.join(", ", known())
            : "add the artifact dev.kcache:" + artifact + " to the class path";
    Notices.warn(
        System.getLogger(RemoteStores.class.getName()),
        "a remote whose address begins with %s:// is not used: %s".formatted(scheme, problem));
  }

  private static List<String> known() {
    return ARTIFACTS.keySet().stream().sorted().map(scheme -> scheme + "://").toList();
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
