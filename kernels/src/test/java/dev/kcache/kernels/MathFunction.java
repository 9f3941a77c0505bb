// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/**
 * A function of {@code device_math.hip}, with the digests of its results for {@link MathArguments}
 * of f32, f64 and, if it has those types, f16 and bf16: they are the same on the host and on every
 * GPU.
 */
enum MathFunction {
  ERF(1, "70103926f99153bf", "e7cf79dffc3501e9", "cf69cce411ba8fa7", "d676bdebda1300fc"),
  TANH(1, "5ae6963b9eca7739", "17eef58557bb6e03", "d3ebd86f9ba91d43", "44d4b8719452bfe5"),
  SIN(1, "a6bea33224fe3b97", "e78c35257e719ccb", "e25d433597c655ef", "05f1d27dfd9cc64c"),
  COS(1, "95d68436df000550", "4961b7c22fbd35c1", "04e33c21e7328604", "c5f05f393427849e"),
  EXP(1, "88a45225c91022ca", "11fb2b1526dab52a", "e4c6e8ec1bd5872a", "508eb28b16c0d350"),
  LOG(1, "3061fdd07ccfb5e8", "ca9c1259b820f7a6", "602c34dc47e51172", "3ffa1881651f3abb"),
  POW(1, "ce7cbc947fd2fa52", "3179ce2e75e3c598", "2bf7e69dde4a251d", "e40fc4dfd6ad0f51"),
  SQRT(0.5000001, "74ac2e6f2698ff7a", "f3ee6a37f3cf04bc", "aed6129d699d2da3", "1976c67728defb72"),
  RSQRT(0.51, "abc3e3d5780a386e", "33ec363105737dab", "3263e2f9c3287716", "c599b1476188219a"),
  FLOOR(Double.MIN_VALUE, "687931427f51911b", "b91d0fab86937d4c"),
  CEIL(Double.MIN_VALUE, "38235b7f499761bb", "0a60a6f6638379aa"),
  ROUND(Double.MIN_VALUE, "8452c93947de7bee", "2e82c3e326d91aee"),
  SIGMOID(3, "1d81eb36470c3601", "073c3bfe682127c7", "fa570fb3e8efacd2", "6528e45fdb154636"),
  SILU(4, "abbe0d0772b1e5a3", "b6ab62f9186a99f5", "3d1893772da65e0e", "10e8c42f11cf4c7f"),
  GELU(5, "09b0428a562ad13e", "2ec7409e42378484", "e81784562979fa8e", "0a73db1b3c0ba287"),
  GELU_TANH(4, "9dc6e9ba26a5b166", "ed28509bb2781444", "bcbcc0b26067eefa", "b9fb07105bc327d2");

  /** What a result that is rounded to f16 or bf16 may be from exact. */
  private static final double HALF_BOUND = 0.52;

  private static final List<DType> TYPES = List.of(DType.F32, DType.F64, DType.F16, DType.BF16);

  private final double bound;

  @SuppressWarnings("ImmutableEnumChecker") // List.of gives one that never changes.
  private final List<String> digests;

  MathFunction(double bound, String... digests) {
    this.bound = bound;
    this.digests = List.of(digests);
  }

  /** Returns each function with each of its types. */
  static Stream<Arguments> all() {
    return Stream.of(values())
        .flatMap(
            function ->
                TYPES.stream()
                    .limit(function.digests.size())
                    .map(type -> Arguments.of(function, type)));
  }

  /** Returns the units in the last place that a result may not be from exact. */
  double bound(DType type) {
    return type.bytes() == 2 ? Math.min(bound, HALF_BOUND) : bound;
  }

  String digest(DType type) {
    return digests.get(TYPES.indexOf(type));
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
