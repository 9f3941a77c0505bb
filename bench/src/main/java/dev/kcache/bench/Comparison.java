// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.DoubleUnaryOperator;

/**
 * A figure of kcache beside that of C or of another tool.
 *
 * @param kcache kcache's figure
 * @param other the other's figure; empty if there is none
 */
public record Comparison(Samples kcache, Optional<Samples> other) {
  /**
   * Returns the quotient of the medians, kcache's over the other's, which {@link Unit} interprets.
   */
  public OptionalDouble quotient() {
    return other
        .map(samples -> OptionalDouble.of(kcache.median() / samples.median()))
        .orElse(OptionalDouble.empty());
  }

  /** Returns the same in another unit. */
  public Comparison map(DoubleUnaryOperator conversion) {
    return new Comparison(kcache.map(conversion), other.map(samples -> samples.map(conversion)));
  }
}
