// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import org.jspecify.annotations.Nullable;

/** An event, and where it was recorded last. */
final class Event {
  /** {@code hipEventDisableTiming}: the loader's own events have it. */
  private static final int NO_TIMING = 2;

  private final int device;
  private final int flags;
  private Stream.@Nullable Mark mark;

  Event(int device, int flags) {
    this.device = device;
    this.flags = flags;
  }

  void record(Stream stream) {
    mark = stream.mark();
  }

  /** Returns the place of the last record; null if there is none. */
  Stream.@Nullable Mark mark() {
    return mark;
  }

  /** Does the work before the mark. */
  void synchronize() {
    if (mark != null) {
      mark.pass();
      mark.stream().device().requireAlive();
    }
  }

  /** Does some of the work, if it isn't done; a poll has to come to an end. */
  void requirePassed() {
    if (mark != null) {
      mark.stream().device().requireAlive();
      if (!mark.isPassed()) {
        mark.stream().step();
        throw new StandInError(StandInError.NOT_READY, "the event isn't passed yet");
      }
    }
  }

  /** Returns when the stream passed the mark, as of {@link System#nanoTime}. */
  long nanos() {
    if (mark == null) {
      throw new StandInError(StandInError.INVALID_HANDLE, "the event was never recorded");
    }
    if (!mark.isPassed()) {
      throw new StandInError(StandInError.NOT_READY, "the event isn't passed yet");
    }
    return mark.nanos();
  }

  /** Returns whether an application has to close it. */
  boolean isCounted() {
    return (flags & NO_TIMING) == 0;
  }

  @Override
  public String toString() {
    return "event of device " + device;
  }
}
