// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.explain;

import dev.kcache.cache.directory.CacheEntry;
import java.nio.file.Path;
import java.util.List;

/**
 * An entry beside what is asked for.
 *
 * @param directory the cache directory or layer that holds it
 * @param entry the record
 * @param differences what keeps it from being a hit; none if it is one
 */
public record NearEntry(Path directory, CacheEntry entry, List<Difference> differences) {
  /**
   * Copies the list.
   *
   * @param directory as {@link #directory()}
   * @param entry as {@link #entry()}
   * @param differences as {@link #differences()}; copied
   */
  public NearEntry {
    differences = List.copyOf(differences);
  }
}
