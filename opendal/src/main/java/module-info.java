// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/**
 * Object stores, WebDAV and directories as remotes of a cache, by Apache OpenDAL. Its native part
 * is a jar of the same module name: on a module path, {@code --patch-module opendal=JAR} adds it.
 */
@NullMarked
module dev.kcache.opendal {
  requires static transitive org.jspecify;
  requires transitive dev.kcache.cache;
  requires opendal;

  exports dev.kcache.opendal;

  provides dev.kcache.cache.remote.RemoteStoreProvider with
      dev.kcache.opendal.OpenDalStoreProvider;
}
