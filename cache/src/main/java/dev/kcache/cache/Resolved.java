// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.store.StoredEntry;
/**
 * The answer to a request.
 *
 * @param result the code object with where it came from
 * @param usage where its hits are counted
 */
record Resolved(CacheResult result, UsageCounters.Row usage) {}
