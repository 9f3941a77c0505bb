// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.util.Locale;

/** Which elements of a row {@link Operations#rope} turns together. */
public enum RotaryPairs {
  /** Neighbours: the elements 2<i>i</i> and 2<i>i</i> + 1. */
  INTERLEAVED,
  /** The elements <i>i</i> of either half. */
  HALVES;

  /** Returns the name as kernels carry it, such as {@code halves}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
