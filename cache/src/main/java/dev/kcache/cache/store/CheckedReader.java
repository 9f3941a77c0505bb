// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.nio.file.Path;
import java.util.Optional;

/** Decides what becomes of files whose content has failed its check. */
interface CheckedReader {
  /**
   * Returns what {@code check} reads from {@code file}, which it has just refused as damaged;
   * nothing if it is missing or still damaged.
   */
  <T> Optional<T> readAgain(Path file, Check<T> check);

  /** Reads and checks a file. */
  @FunctionalInterface
  interface Check<T> {
    /**
     * Returns the content; nothing if the file is missing, cannot be read, or is not for us.
     *
     * @throws DamagedEntryException if it is not what its name promises
     */
    Optional<T> read(Path file) throws DamagedEntryException;
  }
}
