// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * The objects behind HIP's handles. A handle is an index and a count of the index's uses, so that
 * one that has ended is told from its successor. Looking one up takes no lock and allocates
 * nothing.
 *
 * <p>Safe for use by any number of threads.
 */
final class HandleTable {
  private static final int FIRST_SIZE = 64;

  private final Deque<Integer> free = new ArrayDeque<>();
  private int used = 1; // 0 is no handle
  private long life = 1;

  /** Assigned after each change, which makes the change visible. */
  private volatile Entry[] entries = new Entry[FIRST_SIZE];

  /** Gives an object a handle. */
  synchronized long add(Entry entry) {
    Entry[] all = entries;
    int index = free.isEmpty() ? used++ : free.pop();
    if (index == all.length) {
      all = Arrays.copyOf(all, 2 * index);
    }
    entry.handle = life++ << Integer.SIZE | index;
    all[index] = entry;
    entries = all;
    return entry.handle;
  }

  /**
   * Returns the object of a handle.
   *
   * @throws HsaFailure with {@link HsaFailure#INVALID_HANDLE} if there is none of that type
   */
  <T extends Entry> T get(long handle, Class<T> type) {
    Entry[] all = entries;
    int index = (int) handle;
    Entry entry = index > 0 && index < all.length ? all[index] : null;
    if (entry == null || entry.handle != handle || !type.isInstance(entry)) {
      throw new HsaFailure(HsaFailure.INVALID_HANDLE, "the handle is none, or has ended");
    }
    return type.cast(entry);
  }

  /** Ends a handle. */
  synchronized <T extends Entry> T remove(long handle, Class<T> type) {
    T entry = get(handle, type);
    Entry[] all = entries;
    all[(int) handle] = null;
    entries = all;
    free.push((int) handle);
    return entry;
  }
}
