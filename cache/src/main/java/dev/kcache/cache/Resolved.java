// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.StoredEntry;

/**
 * The answer to a request.
 *
 * @param stored the code object and its record
 * @param origin where it came from
 * @param kept whether the disk holds it
 * @param tally where its hits are counted
 */
record Resolved(StoredEntry stored, CacheResult.Origin origin, boolean kept, Tally tally) {

  /** Returns the answer as who asked gets to see it, taken from {@code origin}. */
  CacheResult result(CacheResult.Origin origin) {
    CacheEntry entry = stored.entry();
    return new CacheResult(stored.codeObject(), origin, entry.compileTime(), entry.log(), kept);
  }
}
