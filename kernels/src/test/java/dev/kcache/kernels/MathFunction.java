// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/**
 * A function of {@code device_math.h}, with the digests of its results for {@link MathArguments} of
 * f32 and f64: they are the same on the host and on every GPU.
 */
enum MathFunction {
  ERF("9b171cbf1f852ec3", "873d1368985ec7af"),
  TANH("35adb8d37b5355f6", "4e181c945ad67743"),
  SIN("964632f870295485", "dd0de22627b8f462"),
  COS("8f4e9fb7b5a24821", "51f22e4218cc50f2"),
  EXP("d21653b9ccde4e37", "ea45aec10903ac98"),
  LOG("6173ae902aad69b0", "ca9c1259b820f7a6"),
  POW("ce7cbc947fd2fa52", "3179ce2e75e3c598");

  private final String f32Digest;
  private final String f64Digest;

  MathFunction(String f32Digest, String f64Digest) {
    this.f32Digest = f32Digest;
    this.f64Digest = f64Digest;
  }

  /** Returns each function with each of its types. */
  static Stream<Arguments> all() {
    return Stream.of(values())
        .flatMap(
            function -> Stream.of(DType.F32, DType.F64).map(type -> Arguments.of(function, type)));
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
