// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

/**
 * How much is measured.
 *
 * @param rounds how often kcache and C are measured by turns
 * @param shortRounds the same for launches and pageable memory, whose figures are the least steady:
 *     many short rounds, so that what disturbs a machine for seconds, and where memory lies, meets
 *     both sides
 * @param bursts how many bursts of launches a round has
 * @param warmUpBursts how many go before the first round, for the JVM to compile
 * @param copyBytes the size of the copies between host and device
 * @param copies how often a round makes each copy, of pinned memory; a short one a third as often
 * @param elements the count of elements of the binary kernels
 * @param kernels how often a round runs each of them
 * @param starts how many fresh processes launch for the first time
 */
record Effort(
    int rounds,
    int shortRounds,
    int bursts,
    int warmUpBursts,
    int copyBytes,
    int copies,
    long elements,
    int kernels,
    int starts) {
  /** Launches in a burst: half of what a queue of CUDA holds, so that no launch waits for room. */
  static final int BURST = 512;

  /** Returns how often a short round makes each copy. */
  int shortCopies() {
    return (copies + 2) / 3;
  }

  /** What the figures are made of. */
  static final Effort FULL = new Effort(9, 41, 60, 200, 256 << 20, 10, 1L << 26, 20, 7);

  /** A rehearsal, in which every step is gone through and no figure means anything. */
  static final Effort REHEARSAL = new Effort(2, 2, 4, 4, 1 << 20, 2, 1L << 16, 2, 1);
}
