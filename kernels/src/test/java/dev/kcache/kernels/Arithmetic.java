// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.math.BigInteger;

/** What an operation has to give: arithmetic of another kind than the kernels', on bit patterns. */
sealed interface Arithmetic {

  /** Returns the bits of the result for the bits of the operands. */
  long apply(BinaryOperation operation, long left, long right);

  /** Returns the bits of a result without those that are not specified. */
  long specified(long bits);

  static Arithmetic of(DType type) {
    return switch (type) {
      case F32 -> new FloatingPoint(8, 23);
      case F64 -> new FloatingPoint(11, 52);
      case F16 -> new FloatingPoint(5, 10);
      case BF16 -> new FloatingPoint(8, 7);
      case U8 -> new Whole(8, false);
      case U32 -> new Whole(32, false);
      case I32 -> new Whole(32, true);
      case I64 -> new Whole(64, true);
    };
  }

  /** Integers: computed exactly, then cut to their width. */
  record Whole(int width, boolean signed) implements Arithmetic {
    @Override
    public long apply(BinaryOperation operation, long left, long right) {
      BigInteger a = decode(left);
      BigInteger b = decode(right);
      BigInteger exact =
          switch (operation) {
            case ADD -> a.add(b);
            case SUB -> a.subtract(b);
            case MUL -> a.multiply(b);
            case DIV -> b.signum() == 0 ? BigInteger.ZERO : a.divide(b);
            case MINIMUM -> a.min(b);
            case MAXIMUM -> a.max(b);
          };
      return exact.longValue() & mask();
    }

    @Override
    public long specified(long bits) {
      return bits;
    }

    private long mask() {
      return -1L >>> (64 - width);
    }

    private BigInteger decode(long bits) {
      int spare = 64 - width;
      return BigInteger.valueOf(signed ? bits << spare >> spare : bits & mask());
    }
  }

  /**
   * Floats: computed as double, which for one operation has bits enough that rounding twice is
   * rounding once.
   */
  record FloatingPoint(int exponentBits, int fractionBits) implements Arithmetic {
    @Override
    public long apply(BinaryOperation operation, long left, long right) {
      double a = decode(left);
      double b = decode(right);
      return encode(
          switch (operation) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            case MINIMUM -> Math.min(a, b);
            case MAXIMUM -> Math.max(a, b);
          });
    }

    @Override
    public long specified(long bits) {
      return Double.isNaN(decode(bits)) ? bits & quietNaN() : bits;
    }

    long infinity() {
      return ((1L << exponentBits) - 1) << fractionBits;
    }

    long quietNaN() {
      return infinity() | 1L << (fractionBits - 1);
    }

    private int bias() {
      return (1 << (exponentBits - 1)) - 1;
    }

    double decode(long bits) {
      int field = (int) (bits >>> fractionBits & ((1L << exponentBits) - 1));
      long fraction = bits & ((1L << fractionBits) - 1);
      double magnitude;
      if (field == (1 << exponentBits) - 1) {
        magnitude = fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
      } else {
        long units = field == 0 ? fraction : fraction | 1L << fractionBits;
        magnitude = Math.scalb((double) units, Math.max(field, 1) - bias() - fractionBits);
      }
      return (bits >>> (exponentBits + fractionBits) & 1) == 0 ? magnitude : -magnitude;
    }

    long encode(double value) {
      if (Double.isNaN(value)) {
        return quietNaN();
      }
      long sign = Double.doubleToRawLongBits(value) >>> 63 << (exponentBits + fractionBits);
      double magnitude = Math.abs(value);
      int exponent = Math.max(Math.getExponent(magnitude), 1 - bias());
      if (exponent > bias()) {
        return sign | infinity();
      }
      long units = (long) Math.rint(Math.scalb(magnitude, fractionBits - exponent));
      // The leading bit of a normal number's units adds the one that is missing to the exponent.
      return sign | (((long) (exponent + bias() - 1) << fractionBits) + units);
    }
  }
}
