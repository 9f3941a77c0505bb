// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.StoredEntry;

/**
 * The answer to a request.
 *
 * @param stored the code object and its record
 * @param origin where it came from
 * @param kept whether the disk holds it
 */
record Resolved(StoredEntry stored, CacheResult.Origin origin, boolean kept) {}
