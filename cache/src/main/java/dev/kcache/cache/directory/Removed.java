// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.directory;

import java.util.Optional;

/**
 * What a removal took, or would take. Bytes are those of the disk, in blocks.
 *
 * @param entries how many entries
 * @param bytes what that frees
 * @param failure one line about the first file that could not be removed, if one could not
 */
public record Removed(long entries, long bytes, Optional<String> failure) {}
