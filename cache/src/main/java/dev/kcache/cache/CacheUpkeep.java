// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.DiskStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
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

  /** Returns what the cache directory may hold. */
  public CacheLimits limits() {
    return directories.limits();
  }

  /**
   * Removes what exceeds the {@linkplain #limits limits}: entries that went unused for too long,
   * and if all takes more than it may, what was used least recently, until a tenth of the limit is
   * free. Precompiled headers and quarantined files go in the same order, and what no entry needs
   * goes before. Takes as long as reading each record takes, if a limit is exceeded, and else as
   * looking at each file; those who use the directory meanwhile are not held up, and at worst have
   * a miss.
   *
   * <p>A manager that adds something does this by itself, in the background and once an hour at
   * most; not in a directory that it fills for others.
   *
   * @param dryRun whether only to tell what would go
   * @throws UncheckedIOException if the directory is not used or cannot be written; nothing is
   *     removed
   */
  public CollectionResult collect(boolean dryRun) {
    Optional<DiskStore> own = directories.own();
    if (own.isEmpty() || !Files.exists(own.get().root())) {
      return new CollectionResult(0, 0, 0, 0, Optional.empty());
    }
    try {
      return dryRun ? own.get().collector().plan(limits(), Evictions::memo) : collect(own.get());
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  private CollectionResult collect(DiskStore store) throws IOException {
    if (!store.isWritable()) {
      throw new IOException(store.fault().orElse(store.root() + " cannot be written"));
    }
    return store.collector().collect(limits(), Evictions::memo, () -> false);
  }
}
