// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

/**
 * The answer to a request.
 *
 * @param result the code object with where it came from
 * @param usage where its hits are counted
 */
record Resolved(CacheResult result, UsageCounters.Row usage) {}
