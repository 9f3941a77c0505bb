// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * Files in a cache directory that are useful only together, and that may go at any time.
 *
 * @param files in the order in which they have to go; the time of the first is the last use
 * @param lastUse the modification time of the first one
 */
public record FileGroup(List<Path> files, Instant lastUse) {
  /** Copies the list. */
  public FileGroup {
    files = List.copyOf(files);
  }
}
