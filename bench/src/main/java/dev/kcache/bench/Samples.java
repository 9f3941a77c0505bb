// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * A figure, measured in several rounds.
 *
 * @param rounds the figure of each round, in order; at least one
 */
public record Samples(List<Double> rounds) {
  /** Copies the list, and checks that it is not empty. */
  public Samples {
    rounds = List.copyOf(rounds);
    if (rounds.isEmpty()) {
      throw new IllegalArgumentException("there must be a round");
    }
  }

  /** Returns the median; for an even number of rounds, the mean of the two in the middle. */
  public double median() {
    double[] sorted = rounds.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }

  /** Returns the minimum. */
  public double least() {
    return rounds.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
  }

  /** Returns the maximum. */
  public double greatest() {
    return rounds.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
  }

  /** Returns the same rounds in another unit. */
  public Samples map(DoubleUnaryOperator conversion) {
    return new Samples(rounds.stream().map(conversion::applyAsDouble).toList());
  }
}
