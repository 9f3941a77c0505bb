// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The code objects that are not to serve a request in this process, since the GPU driver refused
 * them. Safe for use by any number of threads.
 */
final class Bypassed {
  /** By the request's digest. */
  private final Map<Digest, Set<Digest>> codeObjects = new ConcurrentHashMap<>();

  /** Adds a code object; returns whether that is new. */
  boolean add(Digest request, Digest codeObject) {
    return codeObjects
        .computeIfAbsent(request, added -> ConcurrentHashMap.newKeySet())
        .add(codeObject);
  }

  /** Returns whether a record's code object is not to serve the record's request. */
  boolean contains(CacheEntry record) {
    return codeObjects.getOrDefault(record.request(), Set.of()).contains(record.codeObject());
  }

  /** Returns whether a request has any. What it is compiled to is kept in memory only. */
  boolean concerns(Digest request) {
    return codeObjects.containsKey(request);
  }
}
