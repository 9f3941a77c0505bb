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

  private volatile @Nullable Recollection newest;

  /**
   * An answer, and those before it. It is all that a hit reads on its way to the answer: each
   * object more would be a line more of the processor's cache for each source in use.
   */
  private static final class Recollection extends WeakReference<Held> {
    private final CheckInterval manager;
    private final Object asked;
    private final int number;
    private final @Nullable Recollection older;

    /**
     * Creates one.
     *
     * @param manager whose answer it is: the manager's own interval
     * @param asked what the manager was asked for beside the source
     * @param number the number of the interval
     */
    Recollection(
        CheckInterval manager,
        Object asked,
        int number,
        @Nullable Held answer,
        @Nullable Recollection older) {
      super(answer);
      this.manager = manager;
      this.asked = asked;
      this.number = number;
      this.older = older;
    }

    Recollection before(@Nullable Recollection older) {
      return new Recollection(manager, asked, number, get(), older);
    }

    boolean isOf(CheckInterval manager, Object asked) {
      return this.manager == manager && (this.asked == asked || this.asked.equals(asked));
    }

    boolean isPast() {
      return number != manager.current() || get() == null;
    }
  }

  /** Returns what is remembered and need not be checked yet, or null. */
  @Nullable Held recall(CheckInterval manager, Object asked) {
    for (Recollection each = newest; each != null; each = each.older) {
      if (each.isOf(manager, asked) && each.number == manager.current()) {
        return each.get();
      }
    }
    return null;
  }

  /** Returns how many there are. */
  int size() {
    int size = 0;
    for (Recollection each = newest; each != null; each = each.older) {
      size++;
    }
    return size;
  }

  /** Remembers an answer for the interval in which it was checked. */
  void remember(CheckInterval manager, Object asked, Held answer) {
    List<Recollection> kept = new ArrayList<>();
    for (Recollection each = newest; each != null && kept.size() < MOST - 1; each = each.older) {
      if (!each.isOf(manager, asked) && !each.isPast()) {
        kept.add(each);
      }
    }
    Recollection older = null;
    for (int i = kept.size() - 1; i >= 0; i--) {
      older = kept.get(i).before(older);
    }
    newest = new Recollection(manager, asked, answer.checkedIn(), answer, older);
  }
}
