// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.kernels.Arithmetic.FloatingPoint;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/**
 * Blocks of quantized weights, read byte by byte as the formats are described. Weights are computed
 * in double, which holds all of them exactly.
 */
final class QuantBlocks {
  private static final FloatingPoint HALF = (FloatingPoint) Arithmetic.of(DType.F16);

  private final QuantFormat format;
  private final ByteBuffer bytes;

  QuantBlocks(QuantFormat format, byte[] bytes) {
    this.format = format;
    this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns arbitrary blocks with finite scales, the largest of which are 2. */
  static QuantBlocks finite(QuantFormat format, long blocks, Random random) {
    QuantBlocks result = arbitrary(format, blocks, random);
    for (int i = 0; i < blocks; i++) {
      for (int offset : scales(format)) {
        int at = i * format.blockBytes() + offset;
        result.bytes.putShort(at, (short) (result.bytes.getShort(at) & 0xbfff));
      }
    }
    return result;
  }

  /** Returns blocks of arbitrary bytes, whose scales can be infinite and NaN. */
  static QuantBlocks arbitrary(QuantFormat format, long blocks, Random random) {
    byte[] bytes = new byte[Math.toIntExact(blocks * format.blockBytes())];
    random.nextBytes(bytes);
    return new QuantBlocks(format, bytes);
  }

  /** Returns blocks of each awkward scale, with equal bytes or arbitrary ones elsewhere. */
  static QuantBlocks awkward(QuantFormat format) {
    long[] halves = AwkwardValues.of(DType.F16).stream().mapToLong(Long::longValue).toArray();
    int[] fills = {0x00, 0xff, 0x0f, 0xf0, 0x80, 0x7f, 0x3f, 0xc0, -1};
    int size = format.blockBytes();
    QuantBlocks result = arbitrary(format, (long) halves.length * fills.length, new Random(size));
    for (int i = 0; i < halves.length * fills.length; i++) {
      int fill = fills[i % fills.length];
      for (int k = 0; fill >= 0 && k < size; k++) {
        result.bytes.put(i * size + k, (byte) fill);
      }
      int half = i / fills.length;
      for (int offset : scales(format)) {
        // The second scale of a block is another one.
        result.bytes.putShort(i * size + offset, (short) halves[half++ % halves.length]);
      }
    }
    return result;
  }

  /** Returns the offsets of the f16 scales in a block. */
  static int[] scales(QuantFormat format) {
    return switch (format) {
      case Q4_0, Q8_0 -> new int[] {0};
      case Q4_K -> new int[] {0, 2};
      case Q6_K -> new int[] {208};
    };
  }

  byte[] bytes() {
    return bytes.array();
  }

  /** Returns the number of weights. */
  int count() {
    return bytes.capacity() / format.blockBytes() * format.blockElements();
  }

  /** Returns all weights in order, rounded to float. */
  float[] weights() {
    return weights(-1);
  }

  /** Returns the weights; with a sign of 1, the sums of what they are the differences of. */
  private float[] weights(int sign) {
    float[] weights = new float[count()];
    for (int i = 0; i < weights.length / format.blockElements(); i++) {
      int block = i * format.blockBytes();
      int to = i * format.blockElements();
      switch (format) {
        case Q4_0 -> q4(block, sign, weights, to);
        case Q8_0 -> q8(block, weights, to);
        case Q4_K -> q4k(block, sign, weights, to);
        case Q6_K -> q6k(block, sign, weights, to);
      }
    }
    return weights;
  }

  /** Returns for each weight the sum of the absolute values of what it is the difference of. */
  float[] magnitudes() {
    float[] weights = weights(1);
    for (int i = 0; i < weights.length; i++) {
      weights[i] = Math.abs(weights[i]);
    }
    return weights;
  }

  private double half(int at) {
    return HALF.decode(Short.toUnsignedLong(bytes.getShort(at)));
  }

  private int unsigned(int at) {
    return Byte.toUnsignedInt(bytes.get(at));
  }

  private void q4(int block, int sign, float[] weights, int to) {
    double d = half(block);
    for (int j = 0; j < 16; j++) {
      weights[to + j] = (float) (d * ((unsigned(block + 2 + j) & 0xf) + sign * 8));
      weights[to + j + 16] = (float) (d * ((unsigned(block + 2 + j) >> 4) + sign * 8));
    }
  }

  private void q8(int block, float[] weights, int to) {
    double d = half(block);
    for (int j = 0; j < 32; j++) {
      weights[to + j] = (float) (d * bytes.get(block + 2 + j));
    }
  }

  private void q4k(int block, int sign, float[] weights, int to) {
    double d = half(block);
    double dmin = -half(block + 2);
    if (sign > 0) {
      d = Math.abs(d);
      dmin = Math.abs(dmin);
    }
    int[] s = new int[8];
    int[] m = new int[8];
    for (int j = 0; j < 4; j++) {
      int a = unsigned(block + 4 + j);
      int b = unsigned(block + 8 + j);
      int c = unsigned(block + 12 + j);
      s[j] = a & 0x3f;
      m[j] = b & 0x3f;
      s[j + 4] = (c & 0xf) + 16 * (a >> 6);
      m[j + 4] = (c >> 4) + 16 * (b >> 6);
    }
    for (int pair = 0; pair < 4; pair++) {
      for (int l = 0; l < 32; l++) {
        int both = unsigned(block + 16 + 32 * pair + l);
        weights[to + 64 * pair + l] = (float) (d * s[2 * pair] * (both & 0xf) + dmin * m[2 * pair]);
        weights[to + 64 * pair + 32 + l] =
            (float) (d * s[2 * pair + 1] * (both >> 4) + dmin * m[2 * pair + 1]);
      }
    }
  }

  private void q6k(int block, int sign, float[] weights, int to) {
    double d = half(block + 208);
    for (int half = 0; half < 2; half++) {
      for (int l = 0; l < 32; l++) {
        int first = unsigned(block + 64 * half + l);
        int second = unsigned(block + 64 * half + 32 + l);
        int upper = unsigned(block + 128 + 32 * half + l);
        int[] quants = {
          (first & 0xf) + 16 * (upper & 3),
          (second & 0xf) + 16 * (upper >> 2 & 3),
          (first >> 4) + 16 * (upper >> 4 & 3),
          (second >> 4) + 16 * (upper >> 6)
        };
        for (int k = 0; k < 4; k++) {
          int s = bytes.get(block + 192 + 8 * half + 2 * k + l / 16);
          weights[to + 128 * half + 32 * k + l] = (float) (d * s * (quants[k] + sign * 32));
        }
      }
    }
  }
}
