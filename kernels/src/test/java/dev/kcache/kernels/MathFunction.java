// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/**
 * A function of {@code device_math.hip}, with the digests of its results for {@link MathArguments}
 * of f32 and f64: they are the same on the host and on every GPU.
 */
enum MathFunction {
  ERF(1, "9b171cbf1f852ec3", "873d1368985ec7af"),
  TANH(1, "35adb8d37b5355f6", "4e181c945ad67743"),
  SIN(1, "964632f870295485", "dd0de22627b8f462"),
  COS(1, "8f4e9fb7b5a24821", "51f22e4218cc50f2"),
  EXP(1, "d21653b9ccde4e37", "ea45aec10903ac98"),
  LOG(1, "6173ae902aad69b0", "ca9c1259b820f7a6"),
  POW(1, "ce7cbc947fd2fa52", "3179ce2e75e3c598"),
  SQRT(0.5000001, "74ac2e6f2698ff7a", "f3ee6a37f3cf04bc"),
  RSQRT(0.51, "abc3e3d5780a386e", "33ec363105737dab"),
  FLOOR(Double.MIN_VALUE, "687931427f51911b", "b91d0fab86937d4c"),
  CEIL(Double.MIN_VALUE, "38235b7f499761bb", "0a60a6f6638379aa"),
  ROUND(Double.MIN_VALUE, "8452c93947de7bee", "2e82c3e326d91aee"),
  SIGMOID(3, "57db1b75efa9d5b0", "4f96aa5861495924"),
  SILU(4, "155920e07534be73", "5ad9b9ee6b47b150"),
  GELU(5, "68c56385b5810674", "52789530f7262c6e"),
  GELU_TANH(4, "8a3ca3f30dfcb6f5", "e88a5fd454d7b09e");

  private final double bound;
  private final String f32Digest;
  private final String f64Digest;

  MathFunction(double bound, String f32Digest, String f64Digest) {
    this.bound = bound;
    this.f32Digest = f32Digest;
    this.f64Digest = f64Digest;
  }

  /** Returns each function with each of its types. */
  static Stream<Arguments> all() {
    return Stream.of(values())
        .flatMap(
            function -> Stream.of(DType.F32, DType.F64).map(type -> Arguments.of(function, type)));
  }

  /** Returns the units in the last place that a result may not be from exact. */
  double bound() {
    return bound;
  }

  String digest(DType type) {
    return type == DType.F32 ? f32Digest : f64Digest;
  }

  int arity() {
    return this == POW ? 2 : 1;
  }

  /** Returns the kernel of {@code device_math.hip}. */
  String kernel(DType type) {
    return this + "_" + type;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
