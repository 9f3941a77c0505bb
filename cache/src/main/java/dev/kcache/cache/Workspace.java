// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.DiskStore;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the compiler works and what is found out about it is remembered: in the user's own cache
 * directory, also when results go into a layer, of which neither may become a part.
 *
 * @param own the user's own cache directory, if there is one and it may be used
 */
record Workspace(Optional<DiskStore> own) {

  static Workspace of(CacheSettings settings) {
    return new Workspace(
        settings
            .directory()
            .filter(root -> !settings.disabled())
            .map(root -> DiskStore.open(root, Access.PRIVATE)));
  }

  /** Returns the directory for private directories: the system's where there is no own one. */
  Path stagingParent() {
    return own.flatMap(DiskStore::stagingParent)
        .orElseGet(() -> Path.of(System.getProperty("java.io.tmpdir")));
  }

  Optional<Path> memoDirectory() {
    return own.flatMap(DiskStore::memoDirectory);
  }
}
