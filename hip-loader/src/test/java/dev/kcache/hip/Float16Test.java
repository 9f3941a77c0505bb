// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Both 16-bit formats, against their definitions. */
class Float16Test {
  private static final int LARGEST_HALF = 0x7bff;
  private static final int LARGEST_BFLOAT = 0x7f7f;

  /** The value of a binary16's bits, from the definition. */
  private static double half(int bits) {
    int exponent = bits >>> 10;
    int fraction = bits & 0x3ff;
    return exponent == 0 ? Math.scalb(fraction, -24) : Math.scalb(1024 + fraction, exponent - 25);
  }

  @Test
  void toFloat_ofEveryHalf_isItsValue() {
    for (int bits = 0; bits <= LARGEST_HALF; bits++) {
      assertThat(new Float16((short) bits).toFloat()).isEqualTo((float) half(bits));
      assertThat(new Float16((short) (bits | 0x8000)).toFloat()).isEqualTo((float) -half(bits));
    }
  }

  @Test
  void of_everyHalf_isItself() {
    for (int bits = 0; bits < 0x10000; bits++) {
      Float16 half = new Float16((short) bits);
      if (!Float.isNaN(half.toFloat())) {
        assertThat(Float16.of(half.toFloat())).isEqualTo(half);
      }
    }
  }

  @Test
  void of_whatIsBetweenTwoHalves_isTheNearerOneAndOfBothTheEven() {
    for (int lower = 0; lower < LARGEST_HALF; lower++) {
      float middle = (float) ((half(lower) + half(lower + 1)) / 2);
      int even = (lower & 1) == 0 ? lower : lower + 1;
      assertThat(Float16.of(middle)).isEqualTo(new Float16((short) even));
      assertThat(Float16.of(-middle)).isEqualTo(new Float16((short) (even | 0x8000)));
      assertThat(Float16.of(Math.nextDown(middle))).isEqualTo(new Float16((short) lower));
      assertThat(Float16.of(Math.nextUp(middle))).isEqualTo(new Float16((short) (lower + 1)));
    }
  }

  @Test
  void of_whatIsTooGreat_isInfinite() {
    assertThat(Float16.of(Math.nextDown(65520f)).bits()).isEqualTo((short) LARGEST_HALF);
    for (float great : new float[] {65520f, 1e9f, Float.MAX_VALUE, Float.POSITIVE_INFINITY}) {
      assertThat(Float16.of(great).toFloat()).isEqualTo(Float.POSITIVE_INFINITY);
      assertThat(Float16.of(-great).toFloat()).isEqualTo(Float.NEGATIVE_INFINITY);
    }
  }

  @Test
  void of_everyKindOfNan_isAQuietNan() {
    for (int payload : new int[] {1, 0x1fff, 0x2000, 0x3fffff, 0x400000, 0x7fffff}) {
      for (int sign : new int[] {0, 0x8000_0000}) {
        float nan = Float.intBitsToFloat(sign | 0x7f80_0000 | payload);
        assertThat(Float16.of(nan).bits() & 0x7e00).isEqualTo(0x7e00);
        assertThat(Float16.of(nan).toFloat()).isNaN();
        assertThat(BFloat16.of(nan).bits() & 0x7fc0).isEqualTo(0x7fc0);
        assertThat(BFloat16.of(nan).toFloat()).isNaN();
      }
    }
  }

  @Test
  void of_whatIsBetweenTwoBfloats_isTheNearerOneAndOfBothTheEven() {
    for (int lower = 0; lower < LARGEST_BFLOAT; lower++) {
      float value = Float.intBitsToFloat(lower << 16);
      float middle = Float.intBitsToFloat(lower << 16 | 0x8000);
      int even = (lower & 1) == 0 ? lower : lower + 1;
      assertThat(BFloat16.of(value)).isEqualTo(new BFloat16((short) lower));
      assertThat(BFloat16.of(middle)).isEqualTo(new BFloat16((short) even));
      assertThat(BFloat16.of(-middle)).isEqualTo(new BFloat16((short) (even | 0x8000)));
      assertThat(BFloat16.of(Math.nextDown(middle))).isEqualTo(new BFloat16((short) lower));
      assertThat(BFloat16.of(Math.nextUp(middle))).isEqualTo(new BFloat16((short) (lower + 1)));
    }
  }

  @Test
  void of_theGreatestFloat_isAnInfiniteBfloat() {
    assertThat(BFloat16.of(Float.MAX_VALUE).toFloat()).isEqualTo(Float.POSITIVE_INFINITY);
    assertThat(BFloat16.of(Float.NEGATIVE_INFINITY).toFloat()).isEqualTo(Float.NEGATIVE_INFINITY);
  }

  @Test
  void toFloat_ofEveryBfloat_isTheFloatThatItBegins() {
    for (int bits = 0; bits < 0x10000; bits++) {
      float value = new BFloat16((short) bits).toFloat();
      if (!Float.isNaN(value)) {
        assertThat(Float.floatToRawIntBits(value)).isEqualTo(bits << 16);
      }
    }
  }
}
