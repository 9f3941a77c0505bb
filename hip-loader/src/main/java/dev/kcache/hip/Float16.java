// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * A half-precision number (IEEE 754 binary16), HIP's {@code __half} and C's {@code _Float16}.
 *
 * @param bits the bits as they are in memory
 */
public record Float16(short bits) {
  private static final int INFINITY = 0x7c00;
  private static final int QUIET_NAN = 0x7e00;

  /** The bits of 65520, halfway between the greatest number and the next power of two's step. */
  private static final int LEAST_INFINITE = 0x477f_f000;

  /** The bits of 2<sup>-14</sup>, the least number that is not subnormal. */
  private static final int LEAST_NORMAL = 0x3880_0000;

  /** The difference of the exponents' biases, 127 - 15, in place. */
  private static final int REBIAS = 112 << 23;

  /**
   * {@return the number nearest to {@code value}; of two, the even one} A value that is too great
   * becomes an infinity, and NaN a quiet NaN.
   *
   * @param value any number, infinities and NaN included
   */
  public static Float16 of(float value) {
    int bits = Float.floatToRawIntBits(value);
    return new Float16((short) ((bits >>> 16 & 0x8000) | magnitude(bits & 0x7fff_ffff)));
  }

  private static int magnitude(int bits) {
    if (bits > 0x7f80_0000) {
      return QUIET_NAN | (bits >>> 13 & 0x3ff);
    } else if (bits >= LEAST_INFINITE) {
      return INFINITY;
    } else if (bits < LEAST_NORMAL) {
      // Subnormal numbers are multiples of 2^-24, and rint rounds to even.
      return (int) Math.rint(Float.intBitsToFloat(bits) * 0x1p24);
    }
    // A carry out of the fraction rightly gives the next exponent.
    return (bits - REBIAS + 0xfff + (bits >>> 13 & 1)) >>> 13;
  }

  /** {@return the same number as a {@code float}} */
  public float toFloat() {
    int exponent = bits >>> 10 & 0x1f;
    int fraction = bits & 0x3ff;
    float magnitude =
        switch (exponent) {
          case 0 -> fraction * 0x1p-24f;
          case 0x1f -> Float.intBitsToFloat(0x7f80_0000 | (fraction << 13));
          default -> Float.intBitsToFloat(((exponent << 23) + REBIAS) | (fraction << 13));
        };
    return bits < 0 ? -magnitude : magnitude;
  }
}
