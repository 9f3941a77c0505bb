// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A place among the packets of a queue: with the packet, a signal that falls to 0 there and keeps
 * the time. It is used by the event that made it, and by the streams that wait for it.
 *
 * <p>Safe for use by any number of threads.
 */
final class Mark {
  private final Agent agent;
  private final Queue queue;
  private final long signal;
  private final long packet;
  private final AtomicInteger users = new AtomicInteger(1);

  private Mark(Agent agent, Queue queue, long signal, long packet) {
    this.agent = agent;
    this.queue = queue;
    this.signal = signal;
    this.packet = packet;
  }

  /** Marks a queue; its last user is the caller. */
  static Mark in(Agent agent, Queue queue) {
    agent.requireAlive();
    long signal = Signals.create(agent.hsa(), 1);
    try {
      long packet = queue.mark(signal);
      agent.retain(queue);
      return new Mark(agent, queue, signal, packet);
    } catch (HsaFailure e) {
      if (agent.isAlive()) {
        Signals.destroy(agent.hsa(), signal);
      }
      throw e;
    }
  }

  /** Returns the packet behind it. */
  long packet() {
    return packet;
  }

  long signal() {
    return signal;
  }

  Mark retain() {
    int unused = users.incrementAndGet();
    return this;
  }

  /** Gives a use back; the last one ends the mark. */
  void release() {
    if (users.decrementAndGet() > 0) {
      return;
    }
    if (queue.isPassed(packet)) {
      end();
    } else {
      queue.releases().add(packet, this::end);
    }
  }

  private void end() {
    if (agent.isAlive()) {
      Signals.destroy(agent.hsa(), signal);
    }
    agent.giveBack(queue);
  }

  /**
   * Checks that the mark can still be passed.
   *
   * @throws HsaFailure if its device was given up before
   */
  void requireAlive() {
    if (!isPassed()) {
      agent.requireAlive();
    }
  }

  /** Returns why the mark will never be passed; null if it may. */
  @Nullable HsaFailure failure() {
    HsaFailure reason = agent.failure();
    return reason == null || isPassed()
        ? null
        : new HsaFailure(
            reason.error(), "it waits for another device, which is lost: " + reason.getMessage());
  }

  boolean isPassed() {
    return queue.isPassed(packet);
  }

  boolean isDone() {
    return queue.isDone(packet);
  }

  void synchronize() {
    queue.await(packet);
  }

  /** Returns the tick of the system's clock at which the queue passed this. */
  long tick() {
    long[] time = new long[2];
    HsaFailure.check(
        "hsa_amd_profiling_get_dispatch_time",
        agent.hsa().hsa_amd_profiling_get_dispatch_time(agent.handle(), signal, time));
    return time[1];
  }
}
