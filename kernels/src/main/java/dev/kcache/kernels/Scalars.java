// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.hip.BFloat16;
import dev.kcache.hip.Float16;

/** Numbers of Java as elements, rounded once. */
final class Scalars {
  /** As many low bits as a double lacks for a {@code long}. */
  private static final long LOW = (1L << 11) - 1;

  private Scalars() {}

  /**
   * Returns the bits of the element nearest to a number; of two, the even one.
   *
   * @throws IllegalArgumentException if the type is of integers, and does not hold it
   */
  static long bits(Checks checks, DType type, double value) {
    return switch (type) {
      case F64 -> Double.doubleToRawLongBits(value);
      case F32 -> Float.floatToRawIntBits((float) value);
      case F16 -> Float16.of(roundToOdd(value)).bits();
      case BF16 -> BFloat16.of(roundToOdd(value)).bits();
      default -> bits(checks, type, whole(checks, value));
    };
  }

  /**
   * Returns the bits of the element nearest to a number; of two, the even one.
   *
   * @throws IllegalArgumentException if the type is of integers, and does not hold it
   */
  static long bits(Checks checks, DType type, long value) {
    boolean fits =
        switch (type) {
          case U8 -> value >>> 8 == 0;
          case U32 -> value >>> 32 == 0;
          case I32 -> value == (int) value;
          default -> true;
        };
    if (!fits) {
      throw checks.failure("%s does not hold %d".formatted(type, value));
    }
    return switch (type) {
      case F64 -> Double.doubleToRawLongBits((double) value);
      case F32 -> Float.floatToRawIntBits((float) value);
      case F16, BF16 -> bits(checks, type, roundToOdd(value));
      default -> value;
    };
  }

  /**
   * Returns a whole number.
   *
   * @throws IllegalArgumentException if it is none, or is beyond 64 bits
   */
  static long whole(Checks checks, double value) {
    // (double) Long.MAX_VALUE is 2^63, which is not a long.
    if (value != (long) value || value == 0x1p63) {
      throw checks.failure("%s is no whole number of 64 bits".formatted(value));
    }
    return (long) value;
  }

  /**
   * Returns a float that rounds to a type of fewer bits as the number does: of the two floats next
   * to a number that is none, the one whose last bit is 1.
   */
  private static float roundToOdd(double value) {
    float nearest = (float) value;
    if (nearest == value || Double.isNaN(value)) {
      return nearest;
    }
    int bits = Float.floatToRawIntBits(nearest);
    int below = Math.abs((double) nearest) > Math.abs(value) ? bits - 1 : bits;
    return Float.intBitsToFloat(below | 1);
  }

  /** Returns a double that rounds to a type of fewer bits as the number does. */
  private static double roundToOdd(long value) {
    boolean cut = (value & LOW) != 0 && Math.abs((double) value) >= 0x1p53;
    return cut ? (value & ~LOW) | (LOW + 1) : value;
  }
}
