// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A queue of work for a device. Work is done when somebody waits for it, on the waiting thread, and
 * not before: a program that looks at results too early finds the old ones each time.
 */
final class Stream {
  /** With more, the oldest is done: a full queue of a real device makes callers wait too. */
  private static final int MOST_PENDING = 1024;

  private final Device device;
  private final Deque<Runnable> pending = new ArrayDeque<>();
  private long submitted;
  private long done;

  Stream(Device device) {
    this.device = device;
  }

  /** A place in a stream, and when the stream passed it. */
  static final class Mark {
    private final Stream stream;
    private final long position;
    private long nanos;

    private Mark(Stream stream) {
      this.stream = stream;
      this.position = stream.submitted + 1;
    }

    boolean isPassed() {
      return stream.done >= position;
    }

    /** Does the work before the mark. */
    void pass() {
      while (!isPassed()) {
        stream.step();
      }
    }

    Stream stream() {
      return stream;
    }

    /** Returns the time of the passing, as of {@link System#nanoTime}. */
    long nanos() {
      return nanos;
    }
  }

  Device device() {
    return device;
  }

  boolean isIdle() {
    return pending.isEmpty();
  }

  void submit(Runnable work) {
    submitted++;
    pending.add(work);
    while (pending.size() > MOST_PENDING) {
      step();
    }
  }

  /** Submits a mark. */
  Mark mark() {
    Mark mark = new Mark(this);
    submit(() -> mark.nanos = System.nanoTime());
    return mark;
  }

  /** Does the oldest work; a failure loses the device. */
  void step() {
    Runnable work = pending.poll();
    if (work == null) {
      return;
    }
    try {
      work.run();
    } catch (StandInError e) {
      device.lose(e);
    } finally {
      done = Math.min(done + 1, submitted);
    }
  }

  /** Does all work. */
  void drain() {
    while (!isIdle()) {
      step();
    }
  }

  /** Drops all work, as of a lost device. */
  void drop() {
    pending.clear();
    done = submitted;
  }
}
