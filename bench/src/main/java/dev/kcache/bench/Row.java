// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A line of the table.
 *
 * @param what was measured
 * @param unit of the figures
 * @param comparison the figures
 * @param bar what they have to be like
 */
public record Row(String what, Unit unit, Comparison comparison, Bar bar) {
  /** Returns how kcache compares with C; nothing without C's figure. */
  public OptionalDouble ratio() {
    return bar.ratio(comparison, unit);
  }

  /** Returns whether the bar is met; nothing if there is none, or nothing to compare with. */
  public Optional<Boolean> isMet() {
    return bar.isMet(comparison, unit);
  }
}
