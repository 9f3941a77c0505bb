// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Keeps the host's memory that copies of a stream use reachable until the stream has passed them:
 * what is behind a direct buffer is freed once the buffer is unreachable.
 *
 * <p>How much is kept depends on what is under way, not on how much was ever copied, also if nobody
 * ever waits for the stream. Memory is kept in two generations: with the old one goes an event that
 * the stream passes after its last copy; then the young one becomes old, in its turn. What is found
 * out about the stream otherwise, when somebody waits for it or asks whether it is done, clears
 * both.
 *
 * <p>Safe for use by any number of threads. Memory is to be kept after its copy was asked for. So
 * while the lock is held nothing is here that the stream was not asked for before, and if the
 * stream is idle then, it has passed everything.
 */
final class InFlight {
  /** {@code hipEventDisableTiming}. */
  private static final int NO_TIMING = 2;

  /** Copies in a generation, so that most copies cost no extra call. */
  static final int GENERATION = 64;

  private final DeviceContext context;
  private Set<Object> young = newGeneration();
  private Set<Object> old = newGeneration();

  /** The event behind the old generation's last copy; 0 if there is none. */
  private long marker;

  InFlight(DeviceContext context) {
    this.context = context;
  }

  private static Set<Object> newGeneration() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  /** Keeps the memory of a copy that {@code stream}, an open handle, was just asked for. */
  synchronized void keep(Object memory, long stream) {
    if (young.add(memory) && young.size() % GENERATION == 0) {
      turn(stream);
    }
  }

  /** Releases the old generation and makes the young one old, if the stream has passed the old. */
  private void turn(long stream) {
    if (!old.isEmpty() && context.status(hip -> hip.hipEventQuery(marker)) != Statuses.SUCCESS) {
      return;
    }
    if (marker == 0) {
      long[] event = new long[1];
      if (context.status(hip -> hip.hipEventCreateWithFlags(event, NO_TIMING))
          != Statuses.SUCCESS) {
        return;
      }
      marker = event[0];
    }
    if (context.status(hip -> hip.hipEventRecord(marker, stream)) == Statuses.SUCCESS) {
      old = young;
      young = newGeneration();
    }
  }

  /**
   * Queries whether the stream is idle, and releases everything if it is. Returns the {@code
   * hipError_t} of {@code hipStreamQuery}.
   */
  synchronized int query(long stream) {
    int status = context.status(hip -> hip.hipStreamQuery(stream));
    if (status == Statuses.SUCCESS && size() > 0) {
      clear();
    }
    return status;
  }

  private void clear() {
    young = newGeneration();
    old = newGeneration();
  }

  synchronized int size() {
    return young.size() + old.size();
  }

  /** Returns whether there is anything to {@linkplain #end end}. */
  synchronized boolean isInUse() {
    return size() > 0 || marker != 0;
  }

  /** Releases everything, for a stream that gets no more work and has finished. */
  synchronized void end() {
    clear();
    if (marker != 0) {
      int unused = context.status(hip -> hip.hipEventDestroy(marker));
      marker = 0;
    }
  }
}
