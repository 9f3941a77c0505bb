// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/** Whether the average of a window counts its elements beyond the image, which are zeros. */
public enum Padding {
  /** The sum is divided by the number of elements of the window. */
  COUNTED,
  /** The sum is divided by the number of those within the image. */
  LEFT_OUT
}
