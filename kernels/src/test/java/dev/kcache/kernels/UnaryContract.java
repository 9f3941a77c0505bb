// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Operations of one operand. {@link MathFunctionsTest} has the bounds of the functions' errors;
 * here each kernel is held to compute the right one, for every type, layout and place.
 */
abstract class UnaryContract extends OperationsContract {
  private static final List<String> SAMPLES =
      List.of(
          "unary_f32",
          "unary_bf16",
          "unary_u8",
          "unary_i64",
          "algebraic_f64",
          "algebraic_bf16",
          "transcendental_f32",
          "trigonometric_f32",
          "trigonometric_bf16",
          "activation_f16");

  @Override
  List<KernelUnit> units() {
    return KernelCatalog.load().units().stream()
        .filter(unit -> SAMPLES.contains(unit.name()))
        .toList();
  }

  private Stream<DType> types(UnaryOperation operation) {
    return Stream.of(DType.values())
        .filter(operation::supports)
        .filter(type -> isRealGpu() || SAMPLES.contains(operation.family() + "_" + type));
  }

  @ParameterizedTest
  @EnumSource
  void unary_awkwardValues_areWhatJavaComputes(UnaryOperation operation) {
    types(operation)
        .forEach(
            type -> {
              long[] values = values(type);
              ResultTensor out = result(type, values.length);
              ResultTensor strided = result(type, values.length);
              DeviceTensor x = tensor(type, i -> values[(int) i], values.length);
              Layout everySecond = Layout.strided(new long[] {values.length}, new long[] {2}, 0);
              DeviceTensor spread = tensor(type, i -> values[(int) i / 2], everySecond);
              operations.unary(operation, x, out.tensor(), stream);
              operations.unary(operation, spread, strided.tensor(), stream);
              long[] results = bits(out);
              for (int i = 0; i < values.length; i++) {
                check(operation, type, values[i], results[i]);
              }
              assertThat(bits(strided)).as("%s of %s", operation, type).isEqualTo(results);
            });
  }

  /** Returns awkward values, and for floating point those where the functions are not flat. */
  private static long[] values(DType type) {
    LongStream awkward = AwkwardValues.of(type).stream().mapToLong(Long::longValue);
    return type.isFloatingPoint()
        ? LongStream.concat(
                awkward,
                DoubleStream.iterate(-20, x -> x < 20, x -> x + 0.03125)
                    .mapToLong(x -> bits(type, x)))
            .toArray()
        : awkward.toArray();
  }

  private static void check(UnaryOperation operation, DType type, long x, long result) {
    String what = "%s of %s %#x".formatted(operation, type, x);
    if (!type.isFloatingPoint()) {
      int spare = 64 - 8 * type.bytes();
      boolean signed = type == DType.I32 || type == DType.I64;
      long exact = ofInteger(operation, signed ? x << spare >> spare : x);
      assertThat(result).as(what).isEqualTo(exact & -1L >>> (64 - 8 * type.bytes()));
      return;
    }
    check(
        what, type, UnaryReference.of(operation, number(type, x)), units(operation, type), result);
  }

  private static long ofInteger(UnaryOperation operation, long x) {
    return switch (operation) {
      case NEG -> -x;
      case ABS -> Math.abs(x);
      case SIGN -> Long.signum(x);
      case RELU -> Math.max(x, 0);
      default -> throw new AssertionError(operation);
    };
  }

  /** Checks that a result is at most some units from an exact one that is rounded to the type. */
  private static void check(String what, DType type, double exact, long units, long result) {
    double actual = number(type, result);
    assertThat(Double.isNaN(actual)).as("NaN as " + what).isEqualTo(Double.isNaN(exact));
    if (!Double.isNaN(exact)) {
      assertThat(Math.copySign(1, actual)).as("sign of " + what).isEqualTo(Math.copySign(1, exact));
      assertThat(order(type, result) - order(type, bits(type, exact)))
          .as("units from exact, of " + what)
          .isBetween(-units, units);
    }
  }

  /** Returns a number that counts the type's values from 0 on, both ways. */
  private static long order(DType type, long bits) {
    long magnitude = bits & -1L >>> (65 - 8 * type.bytes());
    return magnitude == bits ? bits : -magnitude;
  }

  private static long units(UnaryOperation operation, DType type) {
    if (operation.family() == Family.UNARY || operation.compareTo(UnaryOperation.SQRT) <= 0) {
      return 0;
    }
    // The reference is itself only good to some units of a double.
    return type == DType.F64 ? 1000 : type == DType.F32 ? 5 : 1;
  }

  @Test
  void pow_anyExponent_isJavas() {
    for (DType type : DType.values()) {
      if (!type.isFloatingPoint() || !(isRealGpu() || type == DType.F32)) {
        continue;
      }
      long[] values = values(type);
      DeviceTensor x = tensor(type, i -> values[(int) i], values.length);
      for (double exponent : new double[] {-2.5, 0.1, 0, 1, 3, Double.NaN}) {
        ResultTensor out = result(type, values.length);
        operations.pow(x, exponent, out.tensor(), stream);
        long[] results = bits(out);
        double rounded = type == DType.F64 ? exponent : (float) exponent;
        for (int i = 0; i < values.length; i++) {
          String what = "%s %#x to the power of %s".formatted(type, values[i], exponent);
          double exact = pow(number(type, values[i]), rounded);
          check(what, type, exact, type == DType.F64 ? 2 : 1, results[i]);
        }
      }
    }
  }

  /** Java's, but that of 1 to the power of NaN, which is 1 in C. */
  private static double pow(double x, double exponent) {
    return x == 1 ? 1 : Math.pow(x, exponent);
  }

  @Test
  void unary_anySize_writesItsElementsAndNoOthers() {
    for (int count : new int[] {0, 1, 31, 32, 33, 63, 64, 65, 1023, 1025, (1 << 20) + 7}) {
      if (count > 2000 && !isRealGpu()) {
        continue;
      }
      DeviceTensor x = tensor(DType.F32, i -> bits(DType.F32, i % 1000 / 500.0 - 1), count);
      for (ResultTensor out : List.of(result(DType.F32, count), shiftedResult(DType.F32, count))) {
        operations.unary(UnaryOperation.TANH, x, out.tensor(), stream);
        long[] results = bits(out);
        for (int i = 0; i < count; i++) {
          double exact = Math.tanh((float) (i % 1000 / 500.0 - 1));
          check("element " + i, DType.F32, exact, 1, results[i]);
        }
      }
    }
  }

  @Test
  void unary_whatDoesNotFit_namesTheOperationAndTheTensor() {
    DeviceTensor integers = numbers(DType.U8, new double[3], 3);
    DeviceTensor floats = numbers(DType.F32, new double[3], 3);
    assertThatThrownBy(() -> operations.unary(UnaryOperation.EXP, integers, integers, stream))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("exp: x is u8 and must be f32, f64, f16 or bf16");
    assertThatThrownBy(() -> operations.pow(integers, 2, integers, stream))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("pow: x is u8 and must be f32, f64, f16 or bf16");
    assertThatThrownBy(() -> operations.unary(UnaryOperation.NEG, integers, floats, stream))
        .hasMessage("neg: out is f32 and must be u8");
    assertThatThrownBy(() -> operations.pow(floats, 2, integers, stream))
        .hasMessage("pow: out is u8 and must be f32");
  }
}
