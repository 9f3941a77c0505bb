// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds the reference of the kernels' tests against others. */
final class QuantBlocksTest {

  /** Returns the weights of a block whose bytes are 0 but for some. */
  private static float[] weights(QuantFormat format, Map<Integer, Integer> bytes) {
    byte[] block = new byte[format.blockBytes()];
    bytes.forEach((at, value) -> block[at] = value.byteValue());
    return new QuantBlocks(format, block).weights();
  }

  @Test
  void q4_0_twoWeightsOfAByte_are16Apart() {
    // d is -1.5.
    float[] weights = weights(QuantFormat.Q4_0, Map.of(1, 0xbe, 2 + 3, 0x2f));
    assertThat(weights[3]).isEqualTo(-10.5f);
    assertThat(weights[19]).isEqualTo(9);
    assertThat(weights[4]).isEqualTo(12);
  }

  @Test
  void q8_0_lastByte_isSigned() {
    float[] weights = weights(QuantFormat.Q8_0, Map.of(1, 0x38, 33, 0x80));
    assertThat(weights[31]).isEqualTo(-64);
  }

  @Test
  void q4_k_factorsOfLateParts_haveTheirUpperBitsElsewhere() {
    // d is 0.5 and dmin 0.25. Part 0 has s = 3 and m = 5; part 5 has s = 42 and m = 49.
    Map<Integer, Integer> bytes =
        Map.of(1, 0x38, 3, 0x34, 4, 3, 8, 5, 5, 0x80, 9, 0xc0, 13, 0x1a, 16, 0x09, 16 + 71, 0xd0);
    float[] weights = weights(QuantFormat.Q4_K, bytes);
    assertThat(weights[0]).isEqualTo(0.5f * 3 * 9 - 0.25f * 5);
    assertThat(weights[1]).isEqualTo(-0.25f * 5);
    assertThat(weights[32]).isEqualTo(0);
    assertThat(weights[160]).isEqualTo(-0.25f * 49);
    assertThat(weights[167]).isEqualTo(0.5f * 42 * 13 - 0.25f * 49);
  }

  @Test
  void q6_k_bitsOfAWeight_areFoundInBothHalves() {
    // d is 2; the factors of weights 96 to 111 and 176 to 191 are -7 and 100.
    Map<Integer, Integer> bytes =
        Map.of(
            209, 0x40, 192 + 6, -7, 192 + 11, 100, 36, 0x50, 128 + 4, 0xc0, 116, 0x0f, 128 + 52, 8);
    float[] weights = weights(QuantFormat.Q6_K, bytes);
    assertThat(weights[96]).isEqualTo(2f * -7 * -32);
    assertThat(weights[100]).isEqualTo(2f * -7 * (0x35 - 32));
    assertThat(weights[180]).isEqualTo(2f * 100 * (0x2f - 32));
    assertThat(weights[191]).isEqualTo(2f * 100 * -32);
  }

  /** The CRC-32 of what gguf.quants.dequantize of the Python package gguf 0.19.0 gives. */
  @ParameterizedTest
  @CsvSource({"Q4_0, c7916c04", "Q8_0, d2b25a87", "Q4_K, eb893cde", "Q6_K, 36a58524"})
  void weights_of64Blocks_areThoseOfGguf(QuantFormat format, String crc) {
    byte[] blocks = new byte[64 * format.blockBytes()];
    int state = 1;
    for (int i = 0; i < blocks.length; i++) {
      state = state * 1664525 + 1013904223;
      blocks[i] = (byte) (state >>> 24);
    }
    for (int i = 0; i < 64; i++) {
      for (int scale : QuantBlocks.scales(format)) {
        blocks[i * format.blockBytes() + scale + 1] &= (byte) 0xbf;
      }
    }
    float[] weights = new QuantBlocks(format, blocks).weights();
    ByteBuffer bytes =
        ByteBuffer.allocate(Float.BYTES * weights.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float weight : weights) {
      bytes.putFloat(weight + 0f); // +0 for -0
    }
    CRC32 actual = new CRC32();
    actual.update(bytes.array());
    assertThat(Long.toHexString(actual.getValue())).isEqualTo(crc);
  }
}
