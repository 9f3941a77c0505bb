// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.directory;

import java.util.Optional;

/**
 * What a collection found in a cache directory, and what it removed; or would have, if it was told
 * only to look. Bytes are those of the disk, in blocks.
 *
 * @param entries how many entries there were
 * @param bytes what everything in the directory took
 * @param entriesRemoved how many entries went
 * @param bytesFreed what went with them and what else went: what no entry needs, precompiled
 *     headers, quarantined files
 * @param failure one line about the first file that could not be removed, if one could not
 */
public record CollectionResult(
    long entries, long bytes, long entriesRemoved, long bytesFreed, Optional<String> failure) {}
