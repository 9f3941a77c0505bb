// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/**
 * What a cast to an integer type gives for a number that the type does not hold. Of a number with
 * fractions, the whole part is meant: casts round toward zero.
 */
public enum Overflow {
  /**
   * The number modulo 2<sup>n</sup>, for a type of n bits: 300 becomes the {@link DType#U8} 44, and
   * -1 becomes 255. An infinity or a NaN becomes 0.
   */
  WRAP,
  /**
   * The nearest number that the type holds: 300 and infinity become the {@link DType#U8} 255, and
   * -1 becomes 0. A NaN becomes 0.
   */
  SATURATE
}
