// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.KernelSource;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipFunction;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.LongFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What HIP's functions of numbers of half a word, and its conversions in four directions, compute
 * on this machine's own GPU, whichever compiler is in use.
 */
class HalfFunctionsGpuTest extends GpuTestBase {
  /** Conversions in four directions, from 64 bits each to a double, which holds every result. */
  private static final KernelSource CONVERSIONS =
      KernelSource.of(
          "conversions.hip",
          """
          #include <hip/hip_runtime.h>
          #include <hip/hip_fp16.h>
          __device__ double wide(__half x) { return __half2float(x); }
          __device__ double wide(double x) { return x; }
          #define OF(name, T, read) extern "C" __global__ void name(const long long* in, double* out, int n) { \\
            int i = blockIdx.x * blockDim.x + threadIdx.x; \\
            if (i < n) { \\
              T x = (T)read(in[i]); \\
              out[4 * i] = wide(__##name##_rn(x)); \\
              out[4 * i + 1] = wide(__##name##_rz(x)); \\
              out[4 * i + 2] = wide(__##name##_rd(x)); \\
              out[4 * i + 3] = wide(__##name##_ru(x)); \\
            } \\
          }
          OF(float2half, float, __longlong_as_double) OF(short2half, short, ) OF(int2half, int, )
          OF(uint2half, unsigned, ) OF(ll2half, long long, ) OF(ull2half, unsigned long long, )
          OF(int2float, int, ) OF(uint2float, unsigned, ) OF(ll2float, long long, )
          OF(ull2float, unsigned long long, ) OF(ll2double, long long, )
          OF(ull2double, unsigned long long, ) OF(double2float, double, __longlong_as_double)
          """);

  /**
   * Numbers of a format: how many bits they have, and the exponents of the largest and the least
   * normal.
   */
  enum Format {
    HALF(11, 15, -14),
    FLOAT(24, 127, -126),
    DOUBLE(53, 1023, -1022);

    private final int precision;
    private final int largest;
    private final int least;

    Format(int precision, int largest, int least) {
      this.precision = precision;
      this.largest = largest;
      this.least = least;
    }

    /** Rounds by decimal arithmetic, which knows nothing of formats. */
    double round(BigDecimal exact, RoundingMode mode) {
      if (exact.signum() == 0) {
        return 0;
      }
      int exponent = Math.max(Math.getExponent(exact.abs().doubleValue()), least);
      if (power(exponent).compareTo(exact.abs()) > 0 && exponent > least) {
        // It was rounded up to a power of two.
        exponent--;
      }
      BigDecimal unit = power(exponent - precision + 1);
      BigDecimal rounded =
          exact.divide(unit, MathContext.UNLIMITED).setScale(0, mode).multiply(unit);
      BigDecimal end = power(largest + 1);
      if (rounded.abs().compareTo(end) < 0) {
        return rounded.doubleValue();
      }
      boolean inwards =
          mode == RoundingMode.DOWN
              || mode == (exact.signum() > 0 ? RoundingMode.FLOOR : RoundingMode.CEILING);
      double last = end.subtract(power(largest + 1 - precision)).doubleValue();
      return exact.signum() * (inwards ? last : Double.POSITIVE_INFINITY);
    }

    private static BigDecimal power(int exponent) {
      return exponent >= 0
          ? new BigDecimal(BigInteger.TWO.pow(exponent))
          : BigDecimal.ONE.divide(new BigDecimal(BigInteger.TWO.pow(-exponent)));
    }
  }

  /** What is converted to what, in the four directions that HIP has. */
  @SuppressWarnings("ImmutableEnumChecker") // the functions are stateless
  enum Conversion {
    FLOAT2HALF(Format.HALF, bits -> new BigDecimal((double) (float) Double.longBitsToDouble(bits))),
    SHORT2HALF(Format.HALF, bits -> BigDecimal.valueOf((short) bits)),
    INT2HALF(Format.HALF, bits -> new BigDecimal((int) bits)),
    UINT2HALF(Format.HALF, bits -> BigDecimal.valueOf(bits & 0xffffffffL)),
    LL2HALF(Format.HALF, BigDecimal::valueOf),
    ULL2HALF(Format.HALF, Conversion::unsigned),
    INT2FLOAT(Format.FLOAT, bits -> new BigDecimal((int) bits)),
    UINT2FLOAT(Format.FLOAT, bits -> BigDecimal.valueOf(bits & 0xffffffffL)),
    LL2FLOAT(Format.FLOAT, BigDecimal::valueOf),
    ULL2FLOAT(Format.FLOAT, Conversion::unsigned),
    LL2DOUBLE(Format.DOUBLE, BigDecimal::valueOf),
    ULL2DOUBLE(Format.DOUBLE, Conversion::unsigned),
    DOUBLE2FLOAT(Format.FLOAT, bits -> new BigDecimal(Double.longBitsToDouble(bits)));

    private static final List<RoundingMode> DIRECTIONS =
        List.of(
            RoundingMode.HALF_EVEN, RoundingMode.DOWN, RoundingMode.FLOOR, RoundingMode.CEILING);

    private final Format format;
    private final LongFunction<BigDecimal> exact;

    Conversion(Format format, LongFunction<BigDecimal> exact) {
      this.format = format;
      this.exact = exact;
    }

    private static BigDecimal unsigned(long bits) {
      return new BigDecimal(Long.toUnsignedString(bits));
    }

    boolean takesFractions() {
      return this == FLOAT2HALF || this == DOUBLE2FLOAT;
    }

    /** Returns what is to come of some bits, one result for each direction. */
    double[] expected(long bits) {
      BigDecimal number = exact.apply(bits);
      return DIRECTIONS.stream().mapToDouble(mode -> format.round(number, mode)).toArray();
    }
  }

  private static final KernelSource HALVES =
      KernelSource.of(
          "halves.hip",
          """
          #include <hip/hip_runtime.h>
          #include <hip/hip_fp16.h>
          #include <hip/hip_bf16.h>
          #define OF(name, H, P) extern "C" __global__ void name(const float* x, float* out, int n) { \\
            int i = blockIdx.x * blockDim.x + threadIdx.x; \\
            if (i < n) { \\
              float* mine = out + 12 * i; \\
              H a = (H)x[2 * i], b = (H)x[2 * i + 1]; \\
              P p = {a, b}, q = {b, b}; \\
              mine[0] = __heq(a, b) + 2 * __hlt(a, b) + 4 * __hle(a, b) + 8 * __hgt(a, b) + 16 * __hge(a, b); \\
              mine[1] = __hequ(a, b) + 2 * __hltu(a, b) + 4 * __hleu(a, b) + 8 * __hgtu(a, b) + 16 * __hgeu(a, b); \\
              mine[2] = __hbeq2(p, q) + 2 * __hblt2(p, q) + 4 * __hble2(p, q) + 8 * __hbgt2(p, q) + 16 * __hbge2(p, q); \\
              mine[3] = __low2float(__hlt2(p, q)) + 2 * __high2float(__hge2(p, q)) + 4 * __low2float(__hgtu2(p, q)); \\
              mine[4] = __hmax(a, b); \\
              mine[5] = __hmin(a, b); \\
              mine[6] = __low2float(__hfma2(p, q, q)); \\
              mine[7] = __high2float(__hsub2(p, q)); \\
              mine[8] = hfloor(a); \\
              mine[9] = hsqrt(a * a); \\
              mine[10] = __low2float(h2trunc(__hneg2(p))); \\
              mine[11] = __hisnan(a) + 2 * (__hisinf(b) != 0); \\
            } \\
          }
          OF(half_, __half, __half2) OF(bf16_, __hip_bfloat16, __hip_bfloat162)
          """);

  /** Numbers of all sizes, and those next to the ends of what a format has. */
  @ParameterizedTest
  @EnumSource
  void conversion_goesInTheDirectionThatItsNameSays(Conversion conversion) {
    int count = 20_000;
    Random random = new Random(1);
    long[] in = new long[count];
    for (int i = 0; i < count; i++) {
      long bits = random.nextLong() >> random.nextInt(64);
      int exponent = random.nextInt(80) - 50;
      in[i] =
          conversion.takesFractions()
              ? Double.doubleToLongBits(Math.scalb((double) bits, exponent - 63))
              : bits;
    }
    if (!conversion.takesFractions()) {
      long[] ends = {0, 1, -1, 65_504, 65_505, 65_519, 65_520, -65_505, -65_520};
      System.arraycopy(ends, 0, in, 0, ends.length);
      in[ends.length] = Long.MAX_VALUE;
      in[ends.length + 1] = Long.MIN_VALUE;
      in[ends.length + 2] = Integer.MAX_VALUE;
      in[ends.length + 3] = Integer.MIN_VALUE;
    }
    double[] out = new double[4 * count];
    HipFunction kernel = kernels.kernel(CONVERSIONS, conversion.name().toLowerCase(Locale.ROOT));
    try (DeviceBuffer ins = device.allocate(8L * count);
        DeviceBuffer outs = device.allocate(8L * out.length)) {
      ins.copyFrom(in);
      kernel.launch(
          LaunchConfig.covering(count, 256), stream, KernelArguments.of(ins, outs, count));
      stream.synchronize();
      outs.copyTo(out);
    }

    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < count && wrong.size() < 5; i++) {
      double[] expected = conversion.expected(in[i]);
      for (int k = 0; k < 4; k++) {
        if (out[4 * i + k] != expected[k]) {
          wrong.add(
              conversion.exact.apply(in[i])
                  + (" " + Conversion.DIRECTIONS.get(k) + " -> " + out[4 * i + k])
                  + (", not " + expected[k]));
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Numbers that both formats have, and what is none. */
  @ParameterizedTest
  @ValueSource(strings = {"half_", "bf16_"})
  void functionsOfHalfAWord_areThoseOfTheirNames(String name) {
    float nan = Float.NaN;
    float infinite = Float.POSITIVE_INFINITY;
    float[] x = {1, 2, 2, 1, 3, 3, -1.5f, 4, 16, -0.5f, nan, 1, 1, nan, 0.25f, infinite, 7.5f, 2};
    int pairs = x.length / 2;
    float[] out = new float[12 * pairs];
    HipFunction kernel = kernels.kernel(HALVES, name);
    try (DeviceBuffer in = device.allocate(4L * x.length);
        DeviceBuffer outs = device.allocate(4L * out.length)) {
      in.copyFrom(x);
      kernel.launch(LaunchConfig.covering(pairs, 64), stream, KernelArguments.of(in, outs, pairs));
      stream.synchronize();
      outs.copyTo(out);
    }

    for (int i = 0; i < pairs; i++) {
      float a = x[2 * i];
      float b = x[2 * i + 1];
      boolean ordered = !Float.isNaN(a) && !Float.isNaN(b);
      int compared = bits(a == b, a < b, a <= b, a > b, a >= b);
      int both = !Float.isNaN(b) ? compared & bits(true, false, true, false, true) : 0;
      float[] expected = {
        compared,
        ordered ? compared : 31,
        both,
        bits(a < b, !Float.isNaN(b), a > b || !ordered),
        ordered ? Math.max(a, b) : Float.isNaN(a) ? b : a,
        ordered ? Math.min(a, b) : Float.isNaN(a) ? b : a,
        a * b + b,
        0 * b,
        (float) Math.floor(a),
        Math.abs(a),
        (float) (a > 0 ? Math.ceil(-a) : Math.floor(-a)),
        bits(Float.isNaN(a), Float.isInfinite(b))
      };
      for (int k = 0; k < 12; k++) {
        float computed = out[12 * i + k];
        boolean same = Float.compare(computed, expected[k]) == 0 || computed == expected[k];
        assertThat(same)
            .as("%s and %s, result %d: %s, not %s", a, b, k, computed, expected[k])
            .isTrue();
      }
    }
  }

  private static int bits(boolean... set) {
    int bits = 0;
    for (int i = 0; i < set.length; i++) {
      bits |= set[i] ? 1 << i : 0;
    }
    return bits;
  }
}
