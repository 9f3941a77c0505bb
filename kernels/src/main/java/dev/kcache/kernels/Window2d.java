// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

/**
 * A window that steps over an image, down and across.
 *
 * <pre>{@code
 * Window2d square = Window2d.square(3, 1, 1);
 * Window2d flat = new Window2d(new Window1d(1, 1, 0, 1), new Window1d(3, 1, 1, 1));
 * }</pre>
 *
 * @param down how it steps over the rows of the image
 * @param across how it steps over the columns of the image
 */
public record Window2d(Window1d down, Window1d across) {

  /**
   * Takes two windows of any size.
   *
   * @param down how it steps over the rows of the image
   * @param across how it steps over the columns of the image
   */
  public Window2d {
    requireNonNull(down, "down");
    requireNonNull(across, "across");
  }

  /**
   * {@return a window without gaps, that is the same down and across}
   *
   * @param kernel elements of the window, at least 1
   * @param stride elements from one window to the next, at least 1
   * @param padding elements at each side of the image, at least 0
   * @throws IllegalArgumentException if one is less than it may be
   */
  public static Window2d square(int kernel, int stride, int padding) {
    Window1d side = new Window1d(kernel, stride, padding, 1);
    return new Window2d(side, side);
  }
}
