// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

/**
 * The amount of measuring.
 *
 * @param rounds the number of alternations between kcache and C
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
  /**
   * Launches in a burst: half of the capacity of a CUDA queue, so that no launch waits for room.
   */
  static final int BURST = 512;

  /** Returns the number of copies of each kind in a short round. */
  int shortCopies() {
    return (copies + 2) / 3;
  }

  /** The effort behind the published figures. */
  static final Effort FULL = new Effort(9, 41, 60, 200, 256 << 20, 10, 1L << 26, 20, 7);

  /** A rehearsal: takes every step, but its figures mean nothing. */
  static final Effort REHEARSAL = new Effort(2, 2, 4, 4, 1 << 20, 2, 1L << 16, 2, 1);
}
