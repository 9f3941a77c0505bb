// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.store.Request;
import dev.kcache.cache.store.StoredEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the record of a result, which results don't carry, since few callers want it. Safe for use
 * by any number of threads.
 */
final class Provenance {
  private final Directories directories;
  private final ClassPathTier classPath;

  /** The records of compiles that no directory keeps; null until somebody wants them. */
  private volatile @Nullable Map<Digest, CacheEntry> unkept;

  Provenance(Directories directories, ClassPathTier classPath) {
    this.directories = directories;
    this.classPath = classPath;
  }

  /** Remembers from now on what is compiled and not kept. */
  synchronized void remember() {
    if (unkept == null) {
      unkept = new ConcurrentHashMap<>();
    }
  }

  void notKept(CacheEntry entry) {
    Map<Digest, CacheEntry> remembered = unkept;
    if (remembered != null) {
      remembered.put(entry.request(), entry);
    }
  }

  /** Returns the record of a result; empty if it was removed meanwhile. */
  Optional<CacheEntry> of(KernelSource source, TargetId target, CacheResult result) {
    Request request = new Request(RequestKey.digest(source, target), target, result.label());
    @Nullable Map<Digest, CacheEntry> remembered = unkept;
    Stream<CacheEntry> made =
        remembered == null ? Stream.empty() : Stream.ofNullable(remembered.get(request.digest()));
    Stream<CacheEntry> kept =
        directories.all().stream()
            .filter(directories::isReadable)
            .flatMap(directory -> directory.records(request).stream());
    Stream<CacheEntry> carried =
        classPath
            .locate(source, target)
            .map(found -> found.entry())
            .map(StoredEntry::entry)
            .stream();
    return Stream.of(made, kept, carried)
        .flatMap(records -> records)
        .filter(record -> record.codeObject().equals(result.codeObject().digest()))
        .findFirst();
  }
}
