// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Selection;

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

  /**
   * Returns what {@link #run} would remove now. Less than all entries only if others use or remove
   * some meanwhile. Takes as long as to read what is in the directory.
   */
  public Removed plan() {
    return selection.plan();
  }

  /**
   * Removes them, beside any number of readers and writers: a reader gets what it began to read or
   * misses, and what is added or used meanwhile stays. A code object that was written in the last
   * minutes and that no record names stays for the record that may come.
   *
   * @return what went; what could not be removed has not held up the others
   */
  public Removed run() {
    return selection.remove();
  }
}
