// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import java.util.Locale;

/** What becomes of the elements that {@link Reductions#reduce} takes together. */
public enum Reduction {
  /** Their sum. */
  SUM,
  /** Their sum over their number. */
  MEAN,
  /** The least of them. */
  MIN,
  /** The greatest of them. */
  MAX,
  /** The index of the least. */
  ARGMIN,
  /** The index of the greatest. */
  ARGMAX;

  boolean isIndex() {
    return this == ARGMIN || this == ARGMAX;
  }

  boolean isSum() {
    return this == SUM || this == MEAN;
  }

  /**
   * {@return the type of the result: {@link DType#I64} for indices and for sums of integers, and
   * else that of the elements}
   *
   * @param elements the type of the elements
   */
  public DType result(DType elements) {
    requireNonNull(elements, "elements");
    return isIndex() || (isSum() && !elements.isFloatingPoint()) ? DType.I64 : elements;
  }

  /** Returns the name as messages carry it, such as {@code sum}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
