// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import java.time.Duration;
import java.time.Instant;

/**
 * An entry with its last use.
 *
 * @param entry the record
 * @param lastUse the time of the last use, by the clock of the file system
 * @param unused time since then
 */
public record UsedEntry(CacheEntry entry, Instant lastUse, Duration unused) {}
