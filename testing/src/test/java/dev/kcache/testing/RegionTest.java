// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Memory in pages, against an array. */
class RegionTest {
  private static final int PAGE = 1 << 20;

  @Test
  void numbersAndCopies_acrossPages_areTheSameBytes() {
    int size = 3 * PAGE + 5;
    byte[] expected = new byte[size];
    Random random = new Random(1);
    random.nextBytes(expected);
    Region region = Region.ofDevice(0, 4096, size, false);
    region.copyFrom(0, ByteBuffer.wrap(expected));
    ByteBuffer view = ByteBuffer.wrap(expected).order(ByteOrder.nativeOrder());

    for (int at : new int[] {0, PAGE - 1, PAGE - 3, 2 * PAGE - 7, size - 8}) {
      assertThat(region.get(at, 8)).isEqualTo(view.getLong(at));
      long bits = random.nextLong();
      region.put(at, 4, bits);
      view.putInt(at, (int) bits);
      assertThat(region.get(at, 1)).isEqualTo(view.get(at) & 0xff);
    }
    Region copy = Region.ofDevice(0, 1 << 30, size, false);
    copy.copyFrom(3, region, 1, size - 5);
    byte[] copied = new byte[size - 5];
    copy.copyTo(3, ByteBuffer.wrap(copied));
    for (int i = 0; i < copied.length; i++) {
      assertThat(copied[i]).isEqualTo(expected[i + 1]);
    }
  }
}
