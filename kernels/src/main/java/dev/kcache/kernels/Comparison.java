// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.util.Locale;

/** A comparison of two elements. A NaN equals nothing, and is neither less nor greater. */
public enum Comparison {
  /** Equal. */
  EQ,
  /** Unequal. */
  NE,
  /** Less than. */
  LT,
  /** Less than or equal. */
  LE,
  /** Greater than. */
  GT,
  /** Greater than or equal. */
  GE;

  /** Returns the name as kernels carry it, such as {@code eq}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
