// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import java.util.Locale;

/**
 * What {@link Operations#unary} computes of each element. A NaN gives a NaN. {@code
 * docs/kernels.md} has the bounds of the errors.
 */
public enum UnaryOperation {
  /** {@code -x}. Integers wrap. */
  NEG,
  /** {@code |x|}. That of the lowest integer is itself. */
  ABS,
  /** -1 or 1, by the sign of {@code x}, and a zero for a zero, with its sign. */
  SIGN,
  /** The greater of {@code x} and +0, so that -0 gives +0. */
  RELU,
  /** The greatest whole number that is not greater. Floating point only. */
  FLOOR,
  /** The least whole number that is not less. Floating point only. */
  CEIL,
  /** The nearest whole number; of two that are as near, the even one. Floating point only. */
  ROUND,
  /** {@code 1 / x}. Floating point only. */
  RECIP,
  /** The square root, correctly rounded. Floating point only. */
  SQRT,
  /** {@code 1 / sqrt(x)}; of -0 it is -infinity. Floating point only. */
  RSQRT,
  /** e to the power of {@code x}. Floating point only. */
  EXP,
  /** The natural logarithm. Floating point only. */
  LOG,
  /** The hyperbolic tangent. Floating point only. */
  TANH,
  /** The error function. Floating point only. */
  ERF,
  /** The sine of an angle in radians. Floating point only. */
  SIN,
  /** The cosine of an angle in radians. Floating point only. */
  COS,
  /** {@code 1 / (1 + exp(-x))}. Floating point only. */
  SIGMOID,
  /** {@code x / (1 + exp(-x))}; of -infinity it is -0. Floating point only. */
  SILU,
  /** {@code x (1 + erf(x / sqrt(2))) / 2}; of -infinity it is -0. Floating point only. */
  GELU,
  /**
   * {@code x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2}, which is near to {@link #GELU}; of
   * -infinity it is -0. Floating point only.
   */
  GELU_TANH;

  /**
   * {@return whether there is a kernel for a type}
   *
   * @param type of the elements
   */
  public boolean supports(DType type) {
    requireNonNull(type, "type");
    return type.isFloatingPoint() || family() == Family.UNARY;
  }

  /** Returns the family whose kernel it is. */
  Family family() {
    if (compareTo(RELU) <= 0) {
      return Family.UNARY;
    }
    if (compareTo(RSQRT) <= 0) {
      return Family.ALGEBRAIC;
    }
    if (compareTo(ERF) <= 0) {
      return Family.TRANSCENDENTAL;
    }
    return compareTo(COS) <= 0 ? Family.TRIGONOMETRIC : Family.ACTIVATION;
  }

  /** Returns the name as kernels carry it, such as {@code gelu_tanh}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
