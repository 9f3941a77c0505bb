// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.DoubleStream;

/**
 * Arguments for the mathematical functions, the same in every run: each f16 and bf16, all
 * exponents, where results go to the ends of their range, multiples of a quarter turn, what is next
 * to 1, and special values.
 */
final class MathArguments {
  private static final int COUNT = 100_000;
  private static final double[] SPECIAL = {
    0,
    0.5,
    0.55,
    0.875,
    1,
    1.5,
    2,
    3,
    4,
    5,
    6,
    10,
    20,
    64,
    88.72284,
    87.33655,
    103.97208,
    110,
    128,
    149,
    150,
    709.782712893384,
    708.3964185322641,
    745.1332191019412,
    800,
    1023,
    1024,
    1074,
    0x1p16,
    0x1p23,
    0x1.8p23,
    0x1p24 - 1,
    0x1p24,
    0x1p28,
    0x1p31,
    0x1p51 + 0.5,
    0x1p52 + 1,
    0x1p53 - 1,
    0x1p53,
    1e30,
    1e300,
    0x1p-149,
    0x1p-126,
    Double.MIN_VALUE,
    Double.MIN_NORMAL,
    Float.MAX_VALUE,
    Double.MAX_VALUE,
    Double.POSITIVE_INFINITY,
    // Of all doubles it is the nearest to a multiple of pi / 2.
    6381956970095103.0 * 0x1p797,
  };

  private final Random random = new Random(39);
  private final DoubleStream.Builder values = DoubleStream.builder();
  private final DType type;

  private MathArguments(DType type) {
    this.type = type;
  }

  /** Returns the arguments of all calls in native byte order; those of one call are neighbours. */
  static ByteBuffer of(MathFunction function, DType type) {
    MathArguments arguments = new MathArguments(type);
    if (function.arity() == 2) {
      arguments.addPairs();
    } else if (type.bytes() == 2) {
      arguments.addHalves();
    } else if (type == DType.F32) {
      arguments.addFloats();
    } else {
      arguments.addDoubles();
    }
    return arguments.encode();
  }

  /** Returns the start of the results' SHA-256, in which all NaNs are one. */
  static String digest(ByteBuffer results, DType type) {
    ByteBuffer plain = ByteBuffer.allocate(results.capacity());
    for (int at = 0; at < results.capacity(); at += type.bytes()) {
      if (type.bytes() == 2) {
        short bits = results.getShort(at);
        boolean nan = Double.isNaN(OperationsContract.number(type, bits & 0xffff));
        plain.putShort(nan ? -1 : bits);
      } else if (type == DType.F32) {
        plain.putInt(Float.floatToIntBits(results.getFloat(at)));
      } else {
        plain.putLong(Double.doubleToLongBits(results.getDouble(at)));
      }
    }
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(plain.array());
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private void addHalves() {
    for (int bits = 0; bits < 1 << 16; bits++) {
      values.add(OperationsContract.number(type, bits));
    }
  }

  private void addFloats() {
    int step = 4099;
    for (long bits = 0; bits < 1L << 32; bits += step) {
      values.add(Float.intBitsToFloat((int) bits));
    }
    addSpecial();
  }

  private void addDoubles() {
    addSpecial();
    for (int i = 0; i < COUNT; i++) {
      values.add(Double.longBitsToDouble(random.nextLong()));
      for (double end : new double[] {0.4, 1, 3, 10, 30, 800}) {
        values.add(between(-end, end));
      }
      values.add(anyExponent(-60, 60));
      values.add(nextToOne());
      values.add(between(-745.2, -708));
      values.add(between(709, 710));
      // Multiples of a quarter turn, up to those that next to no bits are left of.
      addAround(i * (Math.PI / 2));
      addAround(Math.rint(anyExponent(0, 52)) * (Math.PI / 2));
    }
  }

  private void addSpecial() {
    values.add(Double.NaN);
    for (double value : SPECIAL) {
      addAround(value);
      addAround(-value);
    }
  }

  private void addPairs() {
    for (double x : SPECIAL) {
      for (double y : SPECIAL) {
        addPair(x, y);
        addPair(x, -y);
        addPair(-x, y);
        addPair(-x, -y);
      }
      for (double sign : new double[] {-1, 1}) {
        addPair(sign * x, Double.NaN);
        addPair(Double.NaN, sign * x);
      }
    }
    addPair(Double.NaN, Double.NaN);
    int ends =
        switch (type) {
          case F16 -> 26;
          case BF16 -> 136;
          case F32 -> 151;
          default -> 1076;
        };
    for (int i = 0; i < COUNT; i++) {
      addPowerWithin(ends, between(0.5, 2));
      addPowerWithin(ends, nextToOne());
      addPowerWithin(ends, Math.abs(anyExponent(-ends, ends)));
      // Where a logarithm has the least exact factor, and its power the greatest.
      addPowerWithin(ends, between(1.39, 1.4143));
      addPair(between(-3, 0), Math.rint(between(-100, 100)));
    }
  }

  /** Adds a pair whose result is at most {@code ends} powers of two from 1. */
  private void addPowerWithin(int ends, double x) {
    addPair(x, between(-ends, ends) * StrictMath.log(2) / StrictMath.log(x));
  }

  private void addPair(double x, double y) {
    values.add(x);
    values.add(y);
  }

  /** Adds a value and its neighbours. */
  private void addAround(double value) {
    if (type == DType.F64) {
      values.add(Math.nextDown(value));
      values.add(value);
      values.add(Math.nextUp(value));
    } else {
      float near = (float) value;
      values.add(Math.nextDown(near));
      values.add(near);
      values.add(Math.nextUp(near));
    }
  }

  private double between(double low, double high) {
    return low + (high - low) * random.nextDouble();
  }

  private double nextToOne() {
    return 1 + Math.scalb(between(-1, 1), -random.nextInt(type == DType.F64 ? 53 : 24));
  }

  private double anyExponent(int low, int high) {
    double value = Math.scalb(between(1, 2), low + random.nextInt(high - low));
    return random.nextBoolean() ? value : -value;
  }

  private ByteBuffer encode() {
    double[] all = values.build().toArray();
    ByteBuffer bytes =
        ByteBuffer.allocateDirect(all.length * type.bytes()).order(ByteOrder.nativeOrder());
    for (double value : all) {
      if (type.bytes() == 2) {
        bytes.putShort((short) OperationsContract.bits(type, value));
      } else if (type == DType.F32) {
        bytes.putFloat((float) value);
      } else {
        bytes.putDouble(value);
      }
    }
    return bytes.flip();
  }
}
