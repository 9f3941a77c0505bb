// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the packets of a queue use, to be released once they are done, and what they wait for:
 * copies and other queues.
 *
 * <p>Safe for use by any number of threads; releases are for the caller to run, without a monitor.
 */
final class Releases {
  /** Tells why what a packet waits for will never come; null if it may. */
  interface Watch {
    @Nullable HsaFailure failure();
  }

  private record Held(long packet, @Nullable Watch watch, Runnable release) {}

  private final Deque<Held> held = new ArrayDeque<>();

  /** Keeps something until a packet is done. */
  synchronized void add(long packet, Runnable release) {
    held.add(new Held(packet, null, release));
  }

  /** Keeps what a packet waits for until it is done. */
  synchronized void add(long packet, Watch watch, Runnable release) {
    held.add(new Held(packet, watch, release));
  }

  /** Returns why a packet will never be done; null if all may. What it looks at stays meanwhile. */
  synchronized @Nullable HsaFailure failure() {
    for (Held one : held) {
      HsaFailure failure = one.watch == null ? null : one.watch.failure();
      if (failure != null) {
        return failure;
      }
    }
    return null;
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
