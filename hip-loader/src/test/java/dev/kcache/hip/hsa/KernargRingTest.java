// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KernargRingTest {
  private static final int CAPACITY = 1024;

  private final ByteBuffer memory = ByteBuffer.allocateDirect(CAPACITY);
  private final KernargRing ring = new KernargRing(HipLibrary.address(memory), CAPACITY, 8);

  @Test
  void fullRing_givesNothingUntilAPacketIsDone() {
    for (int packet = 1; packet <= 4; packet++) {
      assertThat(ring.take(256, 0)).isEqualTo(256 * (packet - 1));
      ring.end(packet);
    }
    assertThat(ring.take(1, 0)).isEqualTo(-1);
    assertThat(ring.take(1, 1)).isZero();
  }

  /** A piece lies in one place: what is left at the end is passed over. */
  @Test
  void pieceThatDoesNotFitAtTheEnd_beginsAtTheStart() {
    assertThat(ring.take(640, 0)).isZero();
    ring.end(1);
    assertThat(ring.take(512, 0)).isEqualTo(-1);
    assertThat(ring.take(512, 1)).isZero();
  }

  /** What a packet has is no other's before that packet is done. */
  @Test
  void pieces_neverOverlap() {
    record Piece(long packet, int from, int end) {}
    Random random = new Random(1);
    Deque<Piece> pieces = new ArrayDeque<>();
    long packet = 0;
    long done = 0;
    for (int round = 0; round < 20_000; round++) {
      int size = 1 + random.nextInt(256);
      int offset = packet - done < 8 ? ring.take(size, done) : -1;
      if (offset < 0) {
        assertThat(done).isLessThan(packet);
        done++;
        long passed = done;
        pieces.removeIf(piece -> piece.packet() <= passed);
        continue;
      }
      int end = offset + size;
      assertThat(offset % 64).isZero();
      assertThat(end).isLessThanOrEqualTo(CAPACITY);
      assertThat(pieces).noneMatch(one -> offset < one.end() && one.from() < end);
      packet++;
      ring.end(packet);
      pieces.add(new Piece(packet, offset, end));
    }
  }
}
