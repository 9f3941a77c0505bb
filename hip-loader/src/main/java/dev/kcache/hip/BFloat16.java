// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * A number of the upper half of a {@code float}'s bits, HIP's {@code __hip_bfloat16} and C's {@code
 * __bf16}.
 *
 * @param bits the bits as they are in memory
 */
public record BFloat16(short bits) {
  private static final int QUIET = 0x40;

  /**
   * {@return the number nearest to {@code value}; of two, the even one} A value that is too great
   * becomes an infinity, and NaN a quiet NaN.
   *
   * @param value any number, infinities and NaN included
   */
  public static BFloat16 of(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return new BFloat16((short) ((bits >>> 16) | QUIET));
    }
    // A carry out of the fraction rightly gives the next exponent.
    return new BFloat16((short) ((bits + 0x7fff + (bits >>> 16 & 1)) >>> 16));
  }

  /** {@return the same number as a {@code float}} */
  public float toFloat() {
    return Float.intBitsToFloat(bits << 16);
  }
}
