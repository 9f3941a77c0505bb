// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.CacheEntry;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The records that were read last. Who reads code objects again and again, since memory does not
 * hold them all, would spend a sixth of the time on reading and parsing their records, too. One is
 * believed as long as its file is the same and unchanged by all that the system tells of it. To
 * note a use changes what it tells, so that a record is read anew once an hour.
 *
 * <p>Safe for use by any number of threads.
 */
final class RememberedRecords {
  /** Each takes one or two kilobytes. */
  private static final int MOST = 1024;

  private final ConcurrentHashMap<Path, Remembered> records = new ConcurrentHashMap<>();

  private record Remembered(FileLook look, CacheEntry entry) {}

  /** Returns the record in a file that looks as it did when the record was read. */
  Optional<CacheEntry> get(Path file, FileLook now) {
    Remembered remembered = records.get(file);
    return remembered != null && remembered.look().isSameAs(now)
        ? Optional.of(remembered.entry())
        : Optional.empty();
  }

  /**
   * Remembers the record in a file, unless that changed a moment ago: then it might look the same
   * after the next change.
   *
   * @param look what it looked like before it was read
   */
  void put(Path file, FileLook look, CacheEntry entry) {
    if (!look.isSettled()) {
      return;
    }
    if (records.size() >= MOST) {
      records.clear();
    }
    records.put(file, new Remembered(look, entry));
  }
}
