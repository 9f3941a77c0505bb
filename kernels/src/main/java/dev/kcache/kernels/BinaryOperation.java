// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.util.Locale;

/** An operation of the binary family. Floats follow IEEE 754, integers wrap. */
public enum BinaryOperation {
  /** The sum. */
  ADD,
  /** The difference. */
  SUB,
  /** The product. */
  MUL,
  /** The quotient; of integers truncated toward zero, and 0 where the divisor is 0. */
  DIV,
  /** The smaller one; NaN if either operand is, and -0 is smaller than +0. */
  MINIMUM,
  /** The larger one; NaN if either operand is, and +0 is larger than -0. */
  MAXIMUM;

  /** Returns the name as kernels carry it, such as {@code add}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
