// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.DiskStore;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What is done to a manager's cache directory as a whole, rather than for a request. Layers are
 * never changed.
 *
 * <p>Safe for use by any number of threads and processes, beside any number of requests.
 */
public final class CacheUpkeep {
  private final Directories directories;

  CacheUpkeep(Directories directories) {
    this.directories = directories;
  }

  /** Returns the root of the cache directory; empty if the disk is not used. */
  public Optional<Path> directory() {
    return directories.own().map(DiskStore::root);
  }
}
