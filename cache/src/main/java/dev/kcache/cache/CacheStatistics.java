// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.time.Duration;

/**
 * What one manager has done since it was made.
 *
 * @param memoryHits requests served from memory
 * @param diskHits requests served from disk, layers included
 * @param compiles compiles that succeeded
 * @param failedCompiles compiles that failed
 * @param notKept compiled results that could not be written to disk
 * @param quarantined damaged entries that were moved aside
 * @param compileTime time spent in the compiler
 * @param savedTime time that hits would have spent in the compiler
 */
public record CacheStatistics(
    long memoryHits,
    long diskHits,
    long compiles,
    long failedCompiles,
    long notKept,
    long quarantined,
    Duration compileTime,
    Duration savedTime) {}
