// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

/**
 * The kernels that one stream was asked for and that may not be over, so that a fault can be
 * blamed. Holds the names of the last {@value #KEPT} launches, and allocates nothing.
 *
 * <p>A launch {@linkplain #begin begins} before the runtime is called and {@linkplain #end ends}
 * after it, which costs an atomic addition each. Who waits for the stream takes a {@linkplain #mark
 * mark} before, and says after that the stream has {@linkplain #passed passed} it. While a launch
 * is between its begin and its end, nobody knows whether the wait includes it: there is no mark
 * then. So the ring may name a kernel that is over, but never forgets one that is not, unless
 * {@value #KEPT} were launched after it.
 *
 * <p>Safe for use by any number of threads.
 */
public final class LaunchRing {
  /** A power of two. */
  static final int KEPT = 16;

  private final AtomicReferenceArray<String> kernels = new AtomicReferenceArray<>(KEPT);
  private final AtomicLong begun = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();
  private final AtomicLong passed = new AtomicLong();

  LaunchRing() {}

  private static int slot(long position) {
    return (int) position & (KEPT - 1);
  }

  /** Begins a launch; returns its position. */
  public long begin(String kernel) {
    long position = begun.getAndIncrement();
    kernels.lazySet(slot(position), kernel);
    return position;
  }

  /**
   * Ends what {@link #begin} began.
   *
   * @param launched whether the runtime took the launch
   */
  public void end(long position, String kernel, boolean launched) {
    if (!launched && begun.get() - position <= KEPT) {
      kernels.compareAndSet(slot(position), kernel, null);
    }
    ended.getAndIncrement();
  }

  /** Returns a mark behind all launches so far; 0, which is before all, if one is in progress. */
  public long mark() {
    long before = ended.get();
    return begun.get() == before ? before : 0;
  }

  /** Says that the stream has passed a mark. */
  public void passed(long mark) {
    if (mark > passed.get()) {
      passed.accumulateAndGet(mark, Math::max);
    }
  }

  /**
   * Shows the kernels that may not be over, the oldest first; one as often as it was launched.
   *
   * @return how many more there are, whose names are lost
   */
  long forEach(Consumer<String> each) {
    long end = begun.get();
    long start = Math.min(passed.get(), end);
    long first = Math.max(start, end - KEPT);
    for (long at = first; at < end; at++) {
      String kernel = kernels.get(slot(at));
      if (kernel != null) {
        each.accept(kernel);
      }
    }
    return first - start;
  }
}
