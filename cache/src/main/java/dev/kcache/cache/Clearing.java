// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Selection;
import java.util.Optional;

/**
 * Entries that were chosen to be removed, and are still there. Not safe for use by several threads.
 */
public final class Clearing {
  private final Selection selection;

  Clearing(Selection selection) {
    this.selection = selection;
  }

  /** Returns how many entries it has. */
  public long entries() {
    return selection.records();
  }

  /** Returns how many bytes go with them. */
  public long bytes() {
    return selection.bytes();
  }

  /**
   * Removes them, beside any number of readers and writers: a reader gets what it began to read or
   * misses, and what is added meanwhile stays. A code object that was written in the last minutes
   * and that no record names stays for the record that may come.
   *
   * @return one line about the first file that could not be removed, if one could not; the others
   *     have been
   */
  public Optional<String> run() {
    return selection.remove();
  }
}
