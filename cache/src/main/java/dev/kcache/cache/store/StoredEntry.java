// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KernelMetadata;
import java.util.stream.Collectors;

/**
 * A record with the code object that it names, both verified.
 *
 * @param entry the record
 * @param codeObject the code object
 */
public record StoredEntry(CacheEntry entry, CodeObject codeObject) {
  /** Returns whether what a record says of its code object is so. */
  static boolean describes(CacheEntry entry, CodeObject code) {
    return code.digest().equals(entry.codeObject())
        && code.size() == entry.size()
        && code.abiVersion() == entry.codeObjectVersion()
        && code.target().equals(entry.target())
        && hasInstances(entry, code);
  }

  private static boolean hasInstances(CacheEntry entry, CodeObject code) {
    return entry.instances().isEmpty()
        || code.kernels().stream()
            .map(KernelMetadata::name)
            .collect(Collectors.toSet())
            .containsAll(entry.instances().values());
  }
}
