// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.nio.file.Path;
import java.util.Optional;

/** Reads files whose content can be checked, and decides what becomes of those that are damaged. */
interface CheckedReader {
  /** Returns what {@code check} reads from {@code file}; nothing if it is missing or damaged. */
  <T> Optional<T> read(Path file, Check<T> check);

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
