// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A requirement on a figure.
 *
 * @param sense the value to compare with the limit
 * @param limit the limit
 */
public record Bar(Sense sense, double limit) {
  /** The value that a bar compares. */
  public enum Sense {
    /** None: the figure is only shown. */
    NONE,
    /** kcache's speed over C's, at least the limit. */
    SPEED,
    /** kcache's figure over C's, at most the limit. */
    COST,
    /** kcache's figure itself, at most the limit. */
    AMOUNT
  }

  /** Returns no bar. */
  public static Bar none() {
    return new Bar(Sense.NONE, 0);
  }

  /** Returns the bar of at least this part of C's speed. */
  public static Bar speed(double least) {
    return new Bar(Sense.SPEED, least);
  }

  /** Returns the bar of at most this multiple of C's figure. */
  public static Bar cost(double most) {
    return new Bar(Sense.COST, most);
  }

  /** Returns the bar of at most this figure, in SI units. */
  public static Bar amount(double most) {
    return new Bar(Sense.AMOUNT, most);
  }

  /** Returns the bar of 0. */
  public static Bar nothing() {
    return new Bar(Sense.AMOUNT, 0);
  }

  /** Returns how kcache compares with C, in the sense of the bar; without one, by speed. */
  public OptionalDouble ratio(Comparison comparison, Unit unit) {
    OptionalDouble quotient = comparison.quotient();
    if (sense == Sense.AMOUNT || quotient.isEmpty()) {
      return OptionalDouble.empty();
    }
    double value = quotient.getAsDouble();
    return OptionalDouble.of(sense == Sense.COST ? value : unit.speed(value));
  }

  /** Returns whether the bar is met; empty without a bar or without a figure to compare with. */
  public Optional<Boolean> isMet(Comparison comparison, Unit unit) {
    if (sense == Sense.AMOUNT) {
      return Optional.of(comparison.kcache().median() <= limit);
    }
    OptionalDouble ratio = ratio(comparison, unit);
    if (sense == Sense.NONE || ratio.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        sense == Sense.SPEED ? ratio.getAsDouble() >= limit : ratio.getAsDouble() <= limit);
  }

  /** Returns the bar for people, for figures of a unit. */
  public String describe(Unit unit) {
    return sense == Sense.AMOUNT && limit > 0 ? "at most " + unit.format(limit) : toString();
  }

  @Override
  public String toString() {
    return switch (sense) {
      case NONE -> "";
      case SPEED -> String.format(Locale.ROOT, "at least %.2f", limit);
      case COST -> String.format(Locale.ROOT, "at most %.2f", limit);
      case AMOUNT -> String.format(Locale.ROOT, "%.0f", limit);
    };
  }
}
