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
