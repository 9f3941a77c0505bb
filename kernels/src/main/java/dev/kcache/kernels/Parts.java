// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * How blocks share lines of elements: {@code Parts} of {@code reduce.hip}. It follows from the
 * lines alone and not from the device, since the order of additions follows from it.
 *
 * <p>Used again for each launch, as {@link Walk} is.
 */
final class Parts {
  static final int BLOCK_SIZE = 256;

  /** The elements that a lane adds up. */
  private static final int MOST_PER_LANE = 64;

  /** As many elements let a lane read four packs at once. */
  private static final int ENOUGH_PER_LANE = 16;

  /** As many lines as make a coalesced access are side by side, if there are. */
  private static final int LANES_BESIDE_OTHERS = 8;

  private final ByteBuffer struct =
      ByteBuffer.allocate(4 * Long.BYTES).order(ByteOrder.nativeOrder());
  private int lanes;
  private boolean across;
  private long chunk;
  private long chunks;
  private long tiles;

  /**
   * Divides lines.
   *
   * @param lines how many there are
   * @param length of each
   * @param across whether neighbouring threads have neighbouring lines
   */
  Parts divide(long lines, long length, boolean across) {
    this.across = across;
    int most =
        across
            ? Math.max(LANES_BESIDE_OTHERS, BLOCK_SIZE / powerOfTwo(Math.min(lines, BLOCK_SIZE)))
            : BLOCK_SIZE;
    long wanted =
        ceilingOfQuotient(Math.min(length, BLOCK_SIZE * ENOUGH_PER_LANE), ENOUGH_PER_LANE);
    lanes = Math.min(most, powerOfTwo(wanted));
    chunk = (long) lanes * MOST_PER_LANE;
    chunks = Math.max(1, ceilingOfQuotient(length, chunk));
    tiles = ceilingOfQuotient(lines, BLOCK_SIZE / lanes);
    return this;
  }

  /** Returns how many threads share a line. */
  int lanes() {
    return lanes;
  }

  /** Returns how many chunks a line has. */
  long chunks() {
    return chunks;
  }

  /** Returns how many blocks have one chunk of each line. */
  long tiles() {
    return tiles;
  }

  private static long ceilingOfQuotient(long dividend, long divisor) {
    return dividend == 0 ? 0 : (dividend - 1) / divisor + 1;
  }

  /** Returns the least power of two that is no less than a number of at most 2^30. */
  static int powerOfTwo(long number) {
    return number <= 1 ? 1 : Integer.highestOneBit((int) number - 1) * 2;
  }

  /** Returns the threads of a launch. */
  long threads() {
    return tiles * chunks * BLOCK_SIZE;
  }

  /** Returns the struct that kernels take, by value; it lasts until the next one is asked for. */
  ByteBuffer argument() {
    return struct
        .clear()
        .putLong(lanes)
        .putLong(across ? 1 : 0)
        .putLong(chunk)
        .putLong(chunks)
        .flip();
  }
}
