// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.time.Duration;

/**
 * Sizes and bounds.
 *
 * @param queues the most queues of a device; more streams share them, as HIP's do
 * @param packets the packets of a queue, a power of two
 * @param kernargBytes the memory for the arguments of a queue's kernels
 * @param fullWait how long a launch waits for room in a queue in which nothing gets done
 * @param slice how long a wait goes on before it looks for failures
 */
record Limits(int queues, int packets, int kernargBytes, Duration fullWait, Duration slice) {
  static final Limits DEFAULT =
      new Limits(8, 1024, 1 << 18, Duration.ofMinutes(10), Duration.ofMillis(50));

  /** The most memory that one kernel's arguments may take. */
  int largestKernarg() {
    return kernargBytes / 4;
  }

  /** Returns the {@link System#nanoTime} at which a launch that waits for room now fails. */
  long deadline() {
    return System.nanoTime() + fullWait.toNanos();
  }

  int packets(int largest) {
    return Math.min(packets, largest);
  }
}
