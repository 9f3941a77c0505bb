// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/** What an operation of one operand has to give, as double. */
final class UnaryReference {
  private UnaryReference() {}

  static double of(UnaryOperation operation, double x) {
    return switch (operation) {
      case NEG -> -x;
      case ABS -> Math.abs(x);
      case SIGN -> Math.signum(x);
      case RELU -> x <= 0 ? 0 : x;
      case FLOOR -> Math.floor(x);
      case CEIL -> Math.ceil(x);
      case ROUND -> Math.rint(x);
      case RECIP -> 1 / x;
      case SQRT -> Math.sqrt(x);
      case RSQRT -> 1 / Math.sqrt(x);
      case EXP -> Math.exp(x);
      case LOG -> Math.log(x);
      case SIN -> Math.sin(x);
      case COS -> Math.cos(x);
      case TANH -> Math.tanh(x);
      case ERF -> Math.abs(x) < 2 ? erfOfSmall(x) : Math.signum(x) * (1 - beyond(Math.abs(x)));
      case SIGMOID -> 1 / (1 + Math.exp(-x));
      case SILU -> x == Double.NEGATIVE_INFINITY ? -0.0 : x / (1 + Math.exp(-x));
      case GELU -> x == Double.NEGATIVE_INFINITY ? -0.0 : x * beyond(-x / Math.sqrt(2)) / 2;
      case GELU_TANH ->
          x == Double.NEGATIVE_INFINITY
              ? -0.0
              : x / (1 + Math.exp(-2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
    };
  }

  private static double erfOfSmall(double x) {
    double term = x;
    double sum = x;
    for (int n = 1; n < 100; n++) {
      term *= 2 * x * x / (2 * n + 1);
      sum += term;
    }
    return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
  }

  /** 1 - erf(x), for large x by a continued fraction, which is computed from its end. */
  private static double beyond(double x) {
    if (x < -2) {
      return 2 - beyond(-x);
    }
    if (x < 2) {
      return 1 - erfOfSmall(x);
    }
    double fraction = x;
    for (int n = 100; n > 0; n--) {
      fraction = x + n / 2.0 / fraction;
    }
    return Math.exp(-x * x) / Math.sqrt(Math.PI) / fraction;
  }
}
