// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;

/**
 * A record with the code object that it names, both verified.
 *
 * @param entry the record
 * @param codeObject the code object
 */
public record StoredEntry(CacheEntry entry, CodeObject codeObject) {}
