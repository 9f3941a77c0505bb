// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheEntry;
import dev.kcache.cache.CacheManager;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * An entry with where it is.
 *
 * @param directory the cache directory or the layer
 * @param entry the entry
 */
record LocatedEntry(Path directory, CacheEntry entry) {

  /** Returns the entries of the cache directory, then those of the layers in their order. */
  static Stream<LocatedEntry> of(CacheManager cache) {
    return Stream.concat(cache.directory().stream(), cache.layers().stream())
        .flatMap(
            directory ->
                cache.entries(directory).stream().map(each -> new LocatedEntry(directory, each)));
  }
}
