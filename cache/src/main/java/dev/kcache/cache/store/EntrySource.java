// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.codeobject.Digest;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Finds and verifies the entries of one place: files of a directory, or parts of one file. What
 * can't be read is a miss and throws no exception. Safe for use by any number of threads.
 */
interface EntrySource {
  /** As {@link EntryDirectory#record}. */
  Optional<CacheEntry> record(Request request, Digest toolchain);

  /** As {@link EntryDirectory#records}. */
  List<CacheEntry> records(Request request);

  /** As {@link EntryDirectory#load}. */
  Optional<StoredEntry> load(CacheEntry record);

  /** Returns a list of files that a record names, verified; empty if it is missing or damaged. */
  Optional<DependencyList> list(CacheEntry entry, Digest digest);

  /** As {@link EntryDirectory#entries}. */
  List<CacheEntry> entries();

  /** As {@link EntryDirectory#text}. */
  Optional<SignedRecord> text(CacheEntry entry);

  /** As {@link EntryDirectory#objection}. */
  Optional<String> objection(CacheEntry entry);

  static Comparator<CacheEntry> byTarget() {
    return Comparator.comparing((CacheEntry entry) -> entry.target().toString())
        .thenComparing(CacheEntry::label);
  }

  static Comparator<CacheEntry> bySource() {
    return Comparator.comparing(CacheEntry::source)
        .thenComparing(CacheEntry::request)
        .thenComparing(CacheEntry::toolchain);
  }
}
