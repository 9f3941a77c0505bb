// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.DoubleUnaryOperator;

/**
 * One figure of kcache's beside C's.
 *
 * @param kcache kcache's
 * @param c C's; nothing where there is no C program to measure
 */
record Comparison(Samples kcache, Optional<Samples> c) {
  /** Returns the medians' quotient: kcache's over C's, which {@link Unit} gives a sense. */
  OptionalDouble quotient() {
    return c.map(samples -> OptionalDouble.of(kcache.median() / samples.median()))
        .orElse(OptionalDouble.empty());
  }

  /** Returns the same in another unit. */
  Comparison map(DoubleUnaryOperator conversion) {
    return new Comparison(kcache.map(conversion), c.map(samples -> samples.map(conversion)));
  }
}
