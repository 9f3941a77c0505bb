// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.util.Locale;

/**
 * A format of quantized weights, as files of GGUF have it: neighbours of a row share a block with
 * their scales. {@code quant_formats.h} describes the bytes of a block.
 */
public enum QuantFormat {
  /** 4 bits a weight and a scale for 32: {@code d (q - 8)}. */
  Q4_0(32, 18),
  /** 8 bits a weight and a scale for 32: {@code d q}. */
  Q8_0(32, 34),
  /** 4 bits a weight, a 6-bit scale and minimum for 32: {@code d s q - dmin m}. */
  Q4_K(256, 144),
  /** 6 bits a weight, an 8-bit scale for 16: {@code d s (q - 32)}. */
  Q6_K(256, 210);

  private final int blockElements;
  private final int blockBytes;

  QuantFormat(int blockElements, int blockBytes) {
    this.blockElements = blockElements;
    this.blockBytes = blockBytes;
  }

  /** {@return the number of weights in a block} */
  public int blockElements() {
    return blockElements;
  }

  /** {@return the size of a block in bytes} */
  public int blockBytes() {
    return blockBytes;
  }

  /** Returns the name as kernels carry it, such as {@code q4_k}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
