// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.kcache.cache.store.DamagedEntryException;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.EntryBytes;
import dev.kcache.codeobject.Digest;

/**
 * The lists of the entries that were read last. Each entry carries its own, and most have the same:
 * to hash and parse it anew took a twentieth of the time of many hits.
 *
 * <p>Safe for use by any number of threads.
 */
public final class KnownLists {
  /** Two for each toolchain and set of headers, of 30 kB at most. */
  private static final int MOST = 64;

  private final Cache<Digest, DependencyList> known =
      Caffeine.newBuilder().maximumSize(MOST).build();

  /** Creates one that knows no list yet. */
  public KnownLists() {}

  /**
   * Returns the list in {@code bytes}.
   *
   * @throws DamagedEntryException if it is no list, or its SHA-256 is not {@code digest}
   */
  DependencyList list(byte[] bytes, Digest digest) throws DamagedEntryException {
    DependencyList list = known.getIfPresent(digest);
    if (list == null || !list.hasBytes(bytes)) {
      list = EntryBytes.list(bytes, digest);
      known.put(digest, list);
    }
    return list;
  }
}
