// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * What the packets of a queue use, to be released once they are done, and the signals of copies
 * under way.
 *
 * <p>Safe for use by any number of threads; releases are for the caller to run, without a monitor.
 */
final class Releases {
  /** What is released after a packet; {@code copy} is the signal of a copy, or 0. */
  private record Held(long packet, long copy, Runnable release) {}

  private final Deque<Held> held = new ArrayDeque<>();

  /** Keeps something until a packet is done. */
  synchronized void add(long packet, Runnable release) {
    held.add(new Held(packet, 0, release));
  }

  /** Keeps what a copy uses until the packet behind it is done. */
  synchronized void addCopy(long packet, long signal, Runnable release) {
    held.add(new Held(packet, signal, release));
  }

  /**
   * Returns whether a copy that is kept has failed.
   *
   * @param failed looks at the signal of a copy, which stays meanwhile
   */
  synchronized boolean anyCopy(LongPredicate failed) {
    return held.stream().anyMatch(one -> one.copy != 0 && failed.test(one.copy));
  }

  /** Takes out what was kept for packets up to {@code done}. */
  synchronized List<Runnable> take(long done) {
    if (held.isEmpty()) {
      return List.of();
    }
    List<Runnable> released = new ArrayList<>();
    for (Held first = held.peek(); first != null && first.packet <= done; first = held.peek()) {
      released.add(first.release);
      held.remove();
    }
    return released;
  }
}
