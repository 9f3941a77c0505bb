// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KernelMetadata;
import java.util.stream.Collectors;

/**
 * A verified record with its verified code object.
 *
 * @param entry the record
 * @param codeObject the code object
 */
public record StoredEntry(CacheEntry entry, CodeObject codeObject) {
  /** Returns whether a record describes a code object correctly. */
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
