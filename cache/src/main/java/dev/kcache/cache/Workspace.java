// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.DiskStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Where the compiler works and what is found out about it is remembered.
 *
 * <p>It works in the system's temporary directory: a cache directory may be on a full disk or out
 * of reach, and a compile is not to fail for that. The memo is in the user's own cache directory,
 * also when results go into a layer, of which it must not become a part.
 *
 * @param temporary the system's temporary directory
 * @param own the user's own cache directory, if there is one and it may be used
 */
record Workspace(Path temporary, Optional<DiskStore> own) {

  /** Returns the one for a cache in {@code directory}, if the user named it, or the user's own. */
  static Workspace of(
      Map<String, String> environment, CacheSettings settings, Optional<Path> directory) {
    Path temporary =
        Optional.ofNullable(environment.get("TMPDIR"))
            .filter(value -> value.startsWith("/") && Files.isDirectory(Path.of(value)))
            .map(Path::of)
            .orElseGet(() -> Path.of(System.getProperty("java.io.tmpdir")));
    Optional<DiskStore> own =
        settings
            .directory()
            .filter(root -> !settings.disabled() && !Optional.of(root).equals(directory))
            .map(root -> DiskStore.open(root, Access.PRIVATE));
    return new Workspace(temporary, own);
  }

  /** Returns the directory in which private directories are to be made. */
  Path stagingParent() {
    return Files.isWritable(temporary)
        ? temporary
        : own.flatMap(DiskStore::stagingParent).orElse(temporary);
  }

  Optional<Path> memoDirectory() {
    return own.flatMap(DiskStore::memoDirectory);
  }
}
