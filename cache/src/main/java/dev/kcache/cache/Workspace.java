// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.DiskStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the compiler works and what is found out about it is remembered: in the user's own cache
 * directory, also when results go into a layer, of which neither may become a part.
 *
 * @param own the user's own cache directory, if there is one and it may be used
 */
record Workspace(Optional<DiskStore> own) {
  /** Far more than a compile writes. */
  private static final long ROOM = 64L << 20;

  /** Returns the one for a cache in {@code directory}, if the user named it, or the user's own. */
  static Workspace of(CacheSettings settings, Optional<Path> directory) {
    return new Workspace(
        settings
            .directory()
            .filter(root -> !settings.disabled() && !Optional.of(root).equals(directory))
            .map(root -> DiskStore.open(root, Access.PRIVATE)));
  }

  /** Returns the directory for private directories: the system's where the own one is of no use. */
  Path stagingParent() {
    return own.flatMap(DiskStore::stagingParent)
        .filter(Workspace::hasRoom)
        .orElseGet(() -> Path.of(System.getProperty("java.io.tmpdir")));
  }

  Optional<Path> memoDirectory() {
    return own.flatMap(DiskStore::memoDirectory);
  }

  private static boolean hasRoom(Path directory) {
    try {
      return Files.getFileStore(directory).getUsableSpace() >= ROOM;
    } catch (IOException e) {
      return false;
    }
  }
}
