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

  /** Returns the product of positive dimensions, or {@link Long#MAX_VALUE} if it is more. */
  long count() {
    long plane = (long) x * y;
    return plane > Long.MAX_VALUE / z ? Long.MAX_VALUE : plane * z;
  }

  /** Returns the text form, such as {@code 16x16x1}. */
  @Override
  public String toString() {
    return x + "x" + y + "x" + z;
  }
}
