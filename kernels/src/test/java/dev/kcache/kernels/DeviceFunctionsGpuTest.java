// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.KernelSource;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipFunction;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the functions of HIP's language compute on this machine's own GPU, whichever compiler is in
 * use: {@code KCACHE_TOOLCHAIN} chooses another.
 */
class DeviceFunctionsGpuTest extends GpuTestBase {
  /** Functions of one float, and how far from the exact result they may be. */
  enum Function {
    EXPF,
    EXP2F,
    EXP10F,
    LOGF,
    LOG2F,
    LOG10F,
    SQRTF,
    RSQRTF,
    FLOORF,
    CEILF,
    RINTF;

    /** As many units in the last place as CUDA and ROCm allow the worst of these. */
    private static final double UNITS = 2.5;

    double exact(double x) {
      return switch (this) {
        case EXPF -> Math.exp(x);
        case EXP2F -> Math.pow(2, x);
        case EXP10F -> Math.pow(10, x);
        case LOGF -> Math.log(x);
        case LOG2F -> log2(x);
        case LOG10F -> Math.log10(x);
        case SQRTF -> Math.sqrt(x);
        case RSQRTF -> 1 / Math.sqrt(x);
        case FLOORF -> Math.floor(x);
        case CEILF -> Math.ceil(x);
        case RINTF -> Math.rint(x);
      };
    }

    /** The fraction and the exponent are apart: what is next to 1 has a logarithm next to 0. */
    private static double log2(double x) {
      int exponent = Math.getExponent(x);
      double fraction = x / Math.pow(2, exponent);
      return x > 0 && x < Double.POSITIVE_INFINITY && Math.abs(x - 1) > 0.5
          ? exponent + Math.log(fraction) / Math.log(2)
          : Math.log(x) / Math.log(2);
    }

    boolean isNear(float x, float result) {
      double expected = exact(x);
      float rounded = (float) expected;
      if (Float.isNaN(rounded) || Float.isInfinite(rounded) || rounded == 0) {
        // At the end of the range the last number and what follows it are next to each other.
        return Float.compare(Math.abs(rounded), Math.abs(result)) == 0
            || Math.abs(expected - result) <= UNITS * Math.ulp(rounded == 0 ? 0f : Float.MAX_VALUE);
      }
      return Math.abs(expected - result) <= UNITS * Math.ulp(rounded);
    }
  }

  private static final KernelSource MATH =
      KernelSource.of(
          "math.hip",
          """
          #include <hip/hip_runtime.h>
          #define OF(name) extern "C" __global__ void name##_(const float* x, float* y, int n) { \\
            int i = blockIdx.x * blockDim.x + threadIdx.x; \\
            if (i < n) y[i] = name(x[i]); \\
          }
          OF(expf) OF(exp2f) OF(exp10f) OF(logf) OF(log2f) OF(log10f) OF(sqrtf) OF(rsqrtf)
          OF(floorf) OF(ceilf) OF(rintf)
          """);

  private static final KernelSource WARP =
      KernelSource.of(
          "warp.hip",
          """
          #include <hip/hip_runtime.h>
          extern "C" __global__ void warp(int* out, float* sum, int* counter) {
            __shared__ int last[4];
            int i = threadIdx.x, lane = i % 32;
            int* mine = out + i * 8;
            mine[0] = __shfl(i, 5, 32);
            mine[1] = __shfl_up(i, 3u, 16);
            mine[2] = __shfl_down(i, 3u, 16);
            mine[3] = __shfl_xor(i, 6, 32);
            mine[4] = __popcll(__ballot(lane < 7)) * 32 / warpSize;
            mine[5] = __any(lane == 31) + 2 * __all(lane < 64) + 4 * __all(lane < 31);
            if (i == 37) last[2] = 77;
            __syncthreads();
            mine[6] = last[2] + (int)__shfl(i * 1.5 + 1e9, 7, 32);
            mine[7] = __brev(i) + __clz(i) + __ffs(i) + __umulhi(i * 123456789u, 987654321u);
            atomicAdd(sum, 0.5f);
            atomicMax(counter, i);
            atomicCAS(counter + 1, i, i + 1000);
            atomicInc((unsigned*)counter + 2, 9u);
            atomicExch(sum + 1, 3.0f);
            counter[3] = __syncthreads_count(i % 3 == 0);
            counter[4] = __syncthreads_and(i < 64) != 0;
            counter[5] = __syncthreads_and(i < 63) != 0;
            counter[6] = __syncthreads_or(i == 63) != 0;
            counter[7] = __syncthreads_or(i == 64) != 0;
          }
          """);

  /** Every sixteenth float, or so: both signs, all exponents, tiny ones and what is no number. */
  @ParameterizedTest
  @EnumSource
  void function_isNextToTheExactResult(Function function) {
    int step = 4099;
    int count = (int) ((1L << 32) / step);
    float[] x = new float[count];
    for (int i = 0; i < count; i++) {
      x[i] = Float.intBitsToFloat(i * step);
    }
    // Where results go to the ends of their range, and next to 1.
    float[] special = {
      0f,
      -0f,
      1f,
      Math.nextUp(1f),
      Math.nextDown(1f),
      88.7228f,
      88.7229f,
      -87.3f,
      -103.9f,
      -104f,
      127.99f,
      128f,
      -149f,
      -150f,
      38.53f,
      38.54f,
      -45f,
      Float.MIN_VALUE,
      Float.MIN_NORMAL,
      Float.MAX_VALUE,
      Float.POSITIVE_INFINITY,
      Float.NEGATIVE_INFINITY,
      Float.NaN
    };
    System.arraycopy(special, 0, x, 0, special.length);
    float[] y = new float[count];
    HipFunction kernel = kernels.kernel(MATH, function.name().toLowerCase(Locale.ROOT) + "_");
    try (DeviceBuffer in = device.allocate(4L * count);
        DeviceBuffer out = device.allocate(4L * count)) {
      in.copyFrom(x);
      kernel.launch(LaunchConfig.covering(count, 256), stream, KernelArguments.of(in, out, count));
      stream.synchronize();
      out.copyTo(y);
    }

    String wrong =
        IntStream.range(0, count)
            .filter(i -> !function.isNear(x[i], y[i]))
            .limit(5)
            .mapToObj(i -> x[i] + " -> " + y[i] + ", not " + function.exact(x[i]))
            .toList()
            .toString();
    assertThat(wrong).isEqualTo("[]");
  }

  @Test
  void warpAndAtomicFunctions_areWhatTheyAreInHip() {
    int[] out = new int[64 * 8];
    float[] sum = new float[2];
    int[] counter = new int[8];
    HipFunction kernel = kernels.kernel(WARP, "warp");
    try (DeviceBuffer outs = device.allocate(4L * out.length);
        DeviceBuffer sums = device.allocate(8);
        DeviceBuffer counters = device.allocate(4L * counter.length)) {
      sums.copyFrom(sum);
      counters.copyFrom(counter);
      kernel.launch(
          LaunchConfig.covering(64, 64), stream, KernelArguments.of(outs, sums, counters));
      stream.synchronize();
      outs.copyTo(out);
      sums.copyTo(sum);
      counters.copyTo(counter);
    }

    for (int i = 0; i < 64; i++) {
      int first = i & ~31;
      int[] expected = {
        first + 5,
        i % 16 < 3 ? i : i - 3,
        i % 16 + 3 > 15 ? i : i + 3,
        i ^ 6,
        7,
        3,
        77 + (int) ((first + 7) * 1.5 + 1e9),
        Integer.reverse(i)
            + Integer.numberOfLeadingZeros(i)
            + (i == 0 ? 0 : Integer.numberOfTrailingZeros(i) + 1)
            + (int) (((i * 123456789L & 0xffffffffL) * 987654321L) >>> 32)
      };
      assertThat(Arrays.copyOfRange(out, i * 8, i * 8 + 8)).as("thread %d", i).isEqualTo(expected);
    }
    assertThat(sum).containsExactly(32f, 3f);
    // One thread finds its own number and 0 is the first's; ten counts begin again.
    assertThat(counter).containsExactly(63, 1000, 64 % 10, 22, 1, 0, 1, 0);
  }
}
