// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A count of what takes less time than an atomic addition: a thread that counts much has a number
 * of its own, so that to add one is a plain read and write. All that it counts with lies together,
 * in its row of one {@link Rows}, and fills few lines of the processor's cache.
 *
 * <p>Safe for use by any number of threads, and exact: a number has one writer as long as that
 * lives. What was counted before a happens-before edge is in each sum behind it; others may see it
 * late. Who counts little is counted by a {@link LongAdder}, and so is a thread whose place another
 * one has that lives. A JVM of 64 bits is taken for granted, which reads and writes a long at once.
 */
final class HitCounter {
  /** What is counted before the next thread asks for a row. */
  private static final int MUCH = 100;

  private final long[][] numbers;
  private final int index;
  private final Rows rows;
  private final LongAdder others = new LongAdder();

  /** How high the others' count is when the next thread asks for a number. */
  private volatile long limit = MUCH;

  /** Creates one whose numbers are in these rows. */
  HitCounter(Rows rows) {
    this.rows = rows;
    this.numbers = rows.numbers;
    this.index = rows.add();
  }

  /** Adds one. */
  void increment() {
    long thread = Rows.id(Thread.currentThread());
    long[] row = numbers[Rows.place(thread)];
    if (index < row.length && row[0] == thread) {
      row[index]++;
    } else {
      incrementShared();
    }
  }

  private void incrementShared() {
    others.increment();
    if (others.sum() >= limit) {
      rows.settle(Thread.currentThread());
      limit = others.sum() + MUCH;
    }
  }

  /** Returns how many there were, those that are being added now perhaps not among them. */
  long sum() {
    return others.sum() + rows.sum(index);
  }

  /** The numbers of threads, in a row for each thread. */
  static final class Rows {
    /** A power of two. Threads that are started together have IDs in a row: each finds a place. */
    private static final int PLACES = 64;

    /** The first number of a row is its thread's ID, of which each is used once and none is 0. */
    private static final int ID = 0;

    private static final long[] NOBODYS = {0};
    private static final int SHORTEST = 16;

    /** A row is written by its thread alone, and replaced by a longer one of the same thread. */
    private final long[][] numbers = new long[PLACES][];

    private final WeakReference<?>[] threads = new WeakReference<?>[PLACES];
    private int counters;

    /** Creates those of no thread. */
    Rows() {
      Arrays.fill(numbers, NOBODYS);
    }

    /** Returns where in each row the numbers of another counter are. */
    private synchronized int add() {
      return ++counters;
    }

    /**
     * Gives a thread a row, or a longer one, if its place is nobody's or was that of a thread which
     * has ended.
     */
    private synchronized void settle(Thread thread) {
      int place = place(id(thread));
      long[] row = numbers[place];
      if (row[ID] == id(thread) || !isAlive(threads[place])) {
        long[] longer = Arrays.copyOf(row, Math.max(counters + 1, Math.max(SHORTEST, row.length)));
        longer[ID] = id(thread);
        threads[place] = new WeakReference<>(thread);
        numbers[place] = longer;
      }
    }

    private static boolean isAlive(@Nullable WeakReference<?> thread) {
      return thread != null && thread.get() instanceof Thread known && known.isAlive();
    }

    private synchronized long sum(int index) {
      long sum = 0;
      for (long[] row : numbers) {
        if (index < row.length) {
          sum += row[index];
        }
      }
      return sum;
    }

    private static int place(long thread) {
      return (int) thread & (PLACES - 1);
    }

    @SuppressWarnings("deprecation") // threadId() is of Java 19
    private static long id(Thread thread) {
      return thread.getId();
    }
  }
}
