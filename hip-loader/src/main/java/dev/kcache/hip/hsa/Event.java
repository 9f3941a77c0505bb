// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An event: its last mark.
 *
 * <p>Safe for use by any number of threads.
 */
final class Event extends Entry {
  private @Nullable Mark mark;
  private boolean closed;

  void record(Stream stream) {
    Mark before = replace(stream.mark());
    if (before != null) {
      before.release();
    }
  }

  private synchronized @Nullable Mark replace(Mark made) {
    if (closed) {
      return made;
    }
    Mark before = mark;
    mark = made;
    return before;
  }

  /** What is done with a mark while it is kept. */
  private interface Use {
    void of(Mark mark);
  }

  private boolean withMark(Use use) {
    Optional<Mark> kept = mark();
    if (kept.isPresent()) {
      try {
        use.of(kept.get());
      } finally {
        kept.get().release();
      }
    }
    return kept.isPresent();
  }

  /**
   * Checks that the event was passed, or never recorded.
   *
   * @throws HsaFailure if it was not passed yet, or the device failed
   */
  void requireDone() {
    boolean unused = withMark(mark -> HsaFailure.requireDone(mark.isDone()));
  }

  /** Waits until the event is passed; not at all if it was never recorded. */
  void synchronize() {
    boolean unused = withMark(Mark::synchronize);
  }

  /**
   * Returns the tick of the system's clock at which the event was passed.
   *
   * @throws HsaFailure if it was never recorded, or not passed yet, or the device failed
   */
  long tick() {
    long[] tick = new long[1];
    boolean recorded =
        withMark(
            mark -> {
              HsaFailure.requireDone(mark.isDone());
              tick[0] = mark.tick();
            });
    if (!recorded) {
      throw new HsaFailure(HsaFailure.INVALID_HANDLE, "an event was never recorded");
    }
    return tick[0];
  }

  /** Returns the last mark with a use for the caller, if there is any. */
  synchronized Optional<Mark> mark() {
    return Optional.ofNullable(mark).map(Mark::retain);
  }

  /** Ends the event; its mark stays for those who wait for it. */
  void close() {
    Mark before;
    synchronized (this) {
      closed = true;
      before = mark;
      mark = null;
    }
    if (before != null) {
      before.release();
    }
  }
}
