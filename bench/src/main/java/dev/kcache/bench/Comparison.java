// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.DoubleUnaryOperator;

/**
 * One figure of kcache's beside another's: that of C, or of another tool.
 *
 * @param kcache kcache's
 * @param other the other's; nothing where there is none to measure
 */
public record Comparison(Samples kcache, Optional<Samples> other) {
  /** Returns the medians' quotient: kcache's over the other's, which {@link Unit} gives a sense. */
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
