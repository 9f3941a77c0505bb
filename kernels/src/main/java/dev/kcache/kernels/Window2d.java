// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/**
 * A window that steps over an image: the elements of a kernel, whose neighbours are {@code
 * dilation} apart, from {@code padding} elements before the image, by {@code stride} each time.
 *
 * @param kernelHeight elements of the window down, at least 1
 * @param kernelWidth elements of the window across, at least 1
 * @param strideHeight elements from one window down to the next, at least 1
 * @param strideWidth elements from one window across to the next, at least 1
 * @param paddingHeight elements above and as many below the image, at least 0
 * @param paddingWidth elements left and as many right of the image, at least 0
 * @param dilationHeight elements from one of the window down to the next, at least 1
 * @param dilationWidth elements from one of the window across to the next, at least 1
 */
public record Window2d(
    int kernelHeight,
    int kernelWidth,
    int strideHeight,
    int strideWidth,
    int paddingHeight,
    int paddingWidth,
    int dilationHeight,
    int dilationWidth) {

  /**
   * Checks the numbers.
   *
   * @param kernelHeight elements of the window down, at least 1
   * @param kernelWidth elements of the window across, at least 1
   * @param strideHeight elements from one window down to the next, at least 1
   * @param strideWidth elements from one window across to the next, at least 1
   * @param paddingHeight elements above and as many below the image, at least 0
   * @param paddingWidth elements left and as many right of the image, at least 0
   * @param dilationHeight elements from one of the window down to the next, at least 1
   * @param dilationWidth elements from one of the window across to the next, at least 1
   * @throws IllegalArgumentException if one is less than it may be
   */
  public Window2d {
    Window1d.check(kernelHeight, strideHeight, paddingHeight, dilationHeight);
    Window1d.check(kernelWidth, strideWidth, paddingWidth, dilationWidth);
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
    return new Window2d(kernel, kernel, stride, stride, padding, padding, 1, 1);
  }

  /**
   * {@return how many windows lie below each other}
   *
   * @param height of the image, in elements
   * @throws IllegalArgumentException if the image with its padding is smaller than the window
   */
  public long outputHeight(long height) {
    return new Window1d(kernelHeight, strideHeight, paddingHeight, dilationHeight)
        .outputLength(height);
  }

  /**
   * {@return how many windows lie beside each other}
   *
   * @param width of the image, in elements
   * @throws IllegalArgumentException if the image with its padding is smaller than the window
   */
  public long outputWidth(long width) {
    return new Window1d(kernelWidth, strideWidth, paddingWidth, dilationWidth).outputLength(width);
  }
}
