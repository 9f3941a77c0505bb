// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.DirectoryHealth;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What the directories that a manager works with are like.
 *
 * @param disabled whether {@code KCACHE_DISABLE} keeps the disk out of use; then there are no
 *     directories
 * @param directory the cache directory; empty if there is none
 * @param layers the configured layers, in order, also those that are not used
 * @param probeCache where what is found out about the compiler is kept for later processes; if
 *     empty, each process finds it out anew, which takes seconds
 * @param temporary where the compiler works; empty if no temporary directory can be written and has
 *     room
 * @param temporaryFault one line that says why that is not the preferred place, or there is none
 */
public record CacheHealth(
    boolean disabled,
    Optional<DirectoryHealth> directory,
    List<DirectoryHealth> layers,
    Optional<Path> probeCache,
    Optional<Path> temporary,
    Optional<String> temporaryFault) {
  /**
   * Copies the list.
   *
   * @param disabled as {@link #disabled()}
   * @param directory as {@link #directory()}
   * @param layers as {@link #layers()}; copied
   * @param probeCache as {@link #probeCache()}
   * @param temporary as {@link #temporary()}
   * @param temporaryFault as {@link #temporaryFault()}
   */
  public CacheHealth {
    layers = List.copyOf(layers);
  }
}
