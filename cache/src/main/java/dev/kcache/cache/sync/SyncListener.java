// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.sync;

/** Hears of a copy, on the thread that waits for it. */
public interface SyncListener {
  /**
   * Some entries have ended, or some time has passed.
   *
   * @param done entries that have ended
   * @param bad those of them that are refused or failed
   * @param total all entries
   */
  void progress(long done, long bad, long total);

  /**
   * An entry was refused or failed.
   *
   * @param line which one and why, perhaps with characters that are not to be printed
   */
  void problem(String line);
}
