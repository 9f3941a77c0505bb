// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What managers answered of late when they were asked for one source, for as long as the interval
 * lasts in which they checked it. So a source that is used again is neither digested nor looked up.
 *
 * <p>Holds no manager and no code object: what a manager drops or leaves behind can be collected.
 * There are few, however many managers and targets a source is used with; who finds nothing looks
 * it up.
 *
 * <p>Safe for use by any number of threads; of two that remember at once, one may do so in vain.
 */
final class Recollections {
  private static final int MOST = 8;
  private static final Recollection[] NONE = {};

  private volatile Recollection[] all = NONE;

  /**
   * An answer.
   *
   * @param manager whose answer it is: the manager's own interval
   * @param asked what the manager was asked for beside the source
   * @param number the number of the interval
   */
  private record Recollection(
      CheckInterval manager, Object asked, int number, WeakReference<Held> answer) {
    boolean isOf(CheckInterval manager, Object asked) {
      return this.manager == manager && this.asked.equals(asked);
    }

    boolean isPast() {
      return number != manager.current() || answer.get() == null;
    }
  }

  /** Returns what is remembered and need not be checked yet, or null. */
  @Nullable Held recall(CheckInterval manager, Object asked) {
    for (Recollection each : all) {
      if (each.isOf(manager, asked) && each.number() == manager.current()) {
        return each.answer().get();
      }
    }
    return null;
  }

  /** Returns how many there are. */
  int size() {
    return all.length;
  }

  /** Remembers an answer for the interval in which it was checked. */
  void remember(CheckInterval manager, Object asked, Held answer) {
    List<Recollection> kept = new ArrayList<>(List.of(all));
    kept.removeIf(each -> each.isOf(manager, asked) || each.isPast());
    if (kept.size() == MOST) {
      kept.remove(0);
    }
    kept.add(new Recollection(manager, asked, answer.checkedIn(), new WeakReference<>(answer)));
    all = kept.toArray(NONE);
  }
}
