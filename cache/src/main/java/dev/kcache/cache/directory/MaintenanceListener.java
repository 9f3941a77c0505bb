// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.directory;

import java.nio.file.Path;

/** Hears how far upkeep has come. Called by one thread at a time, but not always by the same. */
@FunctionalInterface
public interface MaintenanceListener {
  /**
   * Another file has been looked at.
   *
   * @param directory the cache directory or layer that it is in
   * @param done how many have been so far
   * @param total how many there are in that directory
   */
  void checked(Path directory, long done, long total);
}
