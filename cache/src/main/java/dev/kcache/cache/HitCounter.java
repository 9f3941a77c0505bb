// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.concurrent.atomic.LongAdder;

/**
 * A count of what takes less time than an atomic addition. A thread that counts much is the only
 * one that writes its number: to add one is a plain read and write. One thread has its number in
 * this object; when another one counts much as well, each gets a place in an array, away from the
 * others' cache lines.
 *
 * <p>Safe for use by any number of threads, and exact: a number has one writer for good. What was
 * counted before a happens-before edge is in each sum behind it; others may see it late. Who counts
 * little is counted by a {@link LongAdder}, and so is a thread in whose place another one has its
 * number, be that one dead. Threads are told apart by their IDs, which keep none of them alive. The
 * array takes 8 kB. A JVM of 64 bits is taken for granted, which reads and writes a long at once.
 */
final class HitCounter {
  /** What is counted before the next thread gets a number of its own. */
  private static final int MUCH = 100;

  /** A power of two. Threads that are started together have IDs in a row, so that each has one. */
  private static final int PLACES = 64;

  /**
   * A thread's ID, then its number; the rest keeps the next place two cache lines of 64 bytes away,
   * since processors fetch them in pairs.
   */
  private static final int PLACE = 16;

  private static final long[] NONE = new long[PLACES * PLACE];

  private final LongAdder others = new LongAdder();
  private volatile long owner;
  private long owned;
  private volatile long[] places = NONE;

  /** How high the others' count is when the next thread gets a number. */
  private volatile long limit = MUCH;

  /** Adds one. */
  void increment() {
    long thread = id(Thread.currentThread());
    if (owner == thread) {
      owned++;
      return;
    }
    long[] numbers = places;
    int place = place(thread);
    if (numbers[place] == thread) {
      numbers[place + 1]++;
    } else {
      incrementShared(thread);
    }
  }

  private void incrementShared(long thread) {
    others.increment();
    if (others.sum() >= limit) {
      settle(thread);
    }
  }

  private synchronized void settle(long thread) {
    if (places == NONE && owner == 0) {
      owner = thread;
    } else {
      if (places == NONE) {
        places = new long[PLACES * PLACE];
        // Whoever that was adds to the number until it sees this, and then comes here.
        owner = 0;
      }
      int place = place(thread);
      if (places[place] == 0) {
        places[place] = thread;
      }
    }
    limit = others.sum() + MUCH;
  }

  private static int place(long thread) {
    return ((int) thread & (PLACES - 1)) * PLACE;
  }

  @SuppressWarnings("deprecation") // threadId() is of Java 19
  private static long id(Thread thread) {
    return thread.getId();
  }

  /** Returns how many there were, those that are being added now perhaps not among them. */
  long sum() {
    long sum = owned + others.sum();
    long[] numbers = places;
    for (int place = 0; place < numbers.length; place += PLACE) {
      sum += numbers[place + 1];
    }
    return sum;
  }
}
