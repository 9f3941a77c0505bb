// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A line of the table.
 *
 * @param what the name of the row
 * @param unit the unit of the figures
 * @param comparison the figures
 * @param bar their bar
 */
public record Row(String what, Unit unit, Comparison comparison, Bar bar) {
  /** Returns how kcache compares with C; empty without C's figure. */
  public OptionalDouble ratio() {
    return bar.ratio(comparison, unit);
  }

  /** Returns whether the bar is met; empty without a bar or without a figure to compare with. */
  public Optional<Boolean> isMet() {
    return bar.isMet(comparison, unit);
  }
}
