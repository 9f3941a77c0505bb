// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A cache directory as its readers see it. A fault of the directory is never an exception to them:
 * what cannot be read is a miss, and {@link #fault} tells why. Safe for use by any number of
 * threads.
 */
public interface EntryDirectory {
  /** Returns the root of the directory. */
  Path root();

  /** Returns whether the directory is read; if not, everything is a miss. */
  boolean isReadable();

  /** Returns one line that says why the directory is not used, or not fully. */
  Optional<String> fault();

  /** Returns the record of what {@code toolchain} gave for {@code request}, if it is there. */
  Optional<CacheEntry> record(Request request, Digest toolchain);

  /**
   * Returns the records of what any toolchain gave for {@code request}, the newest first. Of two of
   * the same instant, the one whose toolchain's digest is lower.
   */
  List<CacheEntry> records(Request request);

  /**
   * Returns the entry of a record that was found here, verified; nothing if its code object is gone
   * or damaged. What is returned counts as used.
   */
  Optional<StoredEntry> load(CacheEntry record);

  /**
   * Returns the list of dependencies that a record names, verified; nothing if it is missing or
   * damaged. Reads it each time.
   */
  Optional<DependencyList> dependencies(CacheEntry entry);

  /** Returns the records, by target, label and source; damaged ones are left out. */
  List<CacheEntry> entries();
}
