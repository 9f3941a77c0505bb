// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * Three dimensions: of a grid in blocks, or of a block in threads.
 *
 * @param x along x
 * @param y along y
 * @param z along z
 */
public record Dim3(int x, int y, int z) {

  /** Returns the product, exactly. */
  long count() {
    return Math.multiplyExact(Math.multiplyExact((long) x, (long) y), (long) z);
  }

  /** Returns the text form, such as {@code 16x16x1}. */
  @Override
  public String toString() {
    return x + "x" + y + "x" + z;
  }
}
