// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;

/** An option or a parameter of a verb. */
record Argument<T>(ArgSpec spec) {
  boolean isGiven() {
    return valueOrNull() != null;
  }

  /** Returns its value, which it has to have. */
  T value() {
    T value = valueOrNull();
    if (value == null) {
      throw new IllegalStateException(spec + " has no value");
    }
    return value;
  }

  /** Returns its value, if it has one. */
  @Nullable T valueOrNull() {
    return spec.getValue();
  }
}
