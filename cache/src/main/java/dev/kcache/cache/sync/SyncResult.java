// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.sync;

/**
 * What became of the entries of a place.
 *
 * @param copied copied
 * @param present left, since they were there already
 * @param refused damaged, and not copied
 * @param failed not read or not written
 * @param skipped of another version of kcache, or gone before they were read
 * @param notDone left when the work was stopped
 * @param bytes the code objects of those that were copied
 */
public record SyncResult(
    long copied, long present, long refused, long failed, long skipped, long notDone, long bytes) {
  static final SyncResult NONE = new SyncResult(0, 0, 0, 0, 0, 0, 0);
  static final SyncResult PRESENT = new SyncResult(0, 1, 0, 0, 0, 0, 0);
  static final SyncResult NOT_DONE = new SyncResult(0, 0, 0, 0, 0, 1, 0);

  static SyncResult copied(long bytes) {
    return new SyncResult(1, 0, 0, 0, 0, 0, bytes);
  }

  static SyncResult refused(long entries) {
    return new SyncResult(0, 0, entries, 0, 0, 0, 0);
  }

  static SyncResult failed(long entries) {
    return new SyncResult(0, 0, 0, entries, 0, 0, 0);
  }

  static SyncResult skipped(long entries) {
    return new SyncResult(0, 0, 0, 0, entries, 0, 0);
  }

  /** Returns these, where not all readers find what was written. */
  SyncResult allFailed() {
    return new SyncResult(0, 0, refused, copied + present + failed, skipped, notDone, 0);
  }

  SyncResult plus(SyncResult other) {
    return new SyncResult(
        copied + other.copied,
        present + other.present,
        refused + other.refused,
        failed + other.failed,
        skipped + other.skipped,
        notDone + other.notDone,
        bytes + other.bytes);
  }
}
