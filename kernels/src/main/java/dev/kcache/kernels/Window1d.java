// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/**
 * A window that steps over a row, or over an image in one direction: the elements of a kernel,
 * whose neighbours are {@code dilation} apart, from {@code padding} elements before the row, by
 * {@code stride} each time.
 *
 * @param kernel elements of the window, at least 1
 * @param stride elements from one window to the next, at least 1
 * @param padding elements before and as many behind the row, at least 0
 * @param dilation elements from one of the window to the next, at least 1
 */
public record Window1d(int kernel, int stride, int padding, int dilation) {
  /** Of one row. */
  static final Window1d ONE = new Window1d(1, 1, 0, 1);

  /**
   * Checks the numbers.
   *
   * @param kernel elements of the window, at least 1
   * @param stride elements from one window to the next, at least 1
   * @param padding elements before and as many behind the row, at least 0
   * @param dilation elements from one of the window to the next, at least 1
   * @throws IllegalArgumentException if one is less than it may be
   */
  public Window1d {
    if (kernel < 1 || stride < 1 || padding < 0 || dilation < 1) {
      throw new IllegalArgumentException(
          "a window must have a kernel, a stride and a dilation of at least 1 and a padding of at"
              + " least 0, not %d, %d, %d and %d".formatted(kernel, stride, dilation, padding));
    }
  }

  /**
   * {@return how many windows a row has}
   *
   * @param length of the row, in elements
   * @throws IllegalArgumentException if the row with its padding is shorter than the window
   */
  public long outputLength(long length) {
    long span = (kernel - 1L) * dilation + 1;
    long padded = length + 2L * padding;
    if (padded < span) {
      throw new IllegalArgumentException(
          "a window of %d elements does not fit %d, padding included".formatted(span, padded));
    }
    return (padded - span) / stride + 1;
  }
}
