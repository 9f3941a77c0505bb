// SPDX-License-Identifier: Apache-2.0
//
// Powers, logarithms and the fast functions of a circle: what a processor has an instruction for.
#pragma once

#include <kcache/language.h>

#ifdef __NVPTX__
// NVIDIA's processors have powers and logarithms of two, the latter with a small absolute error, which
// is a large one near 1.

// 2 to the power of a number up to 256; in two steps, so that what has no place is not made in between.
__KCACHE_DEVICE float __kcache_power(float x, float scale) {
  const float half = __builtin_truncf(scale * 0.5f);
  return __nvvm_ex2_approx_f(x) * __nvvm_ex2_approx_f(half) * __nvvm_ex2_approx_f(scale - half);
}

// e, or 10, to the power of x: the nearest power of two times what is left. ln2, or log10 of 2, comes in
// two parts, so that nothing is lost of x.
__KCACHE_DEVICE float __kcache_exp(float x, float perTwo, float high, float low) {
  const float clamped = __builtin_fminf(__builtin_fmaxf(x * perTwo, -256.0f), 256.0f);
  const float n = __builtin_rintf(clamped);
  const float rest = __builtin_fmaf(-n, low, __builtin_fmaf(-n, high, x));
  const float power = __kcache_power(rest * perTwo, n);
  return x != x ? x : clamped <= -256.0f ? 0.0f : clamped >= 256.0f ? __builtin_inff() : power;
}

__KCACHE_DEVICE float __kcache_expf(float x) {
  return __kcache_exp(x, 0x1.715476p+0f, 0x1.62e400p-1f, 0x1.7f7d1cp-20f);
}
__KCACHE_DEVICE float __kcache_exp10f(float x) {
  return __kcache_exp(x, 0x1.a934f0p+1f, 0x1.344000p-2f, 0x1.3509f8p-18f);
}
__KCACHE_DEVICE float __kcache_exp2f(float x) {
  const float clamped = __builtin_fminf(__builtin_fmaxf(x, -256.0f), 256.0f);
  const float n = __builtin_rintf(clamped);
  return x != x ? x : __kcache_power(clamped - n, n);
}

// The natural logarithm of x = m * 2^e, with m next to 1: twice the series of the inverse hyperbolic
// tangent of (m-1)/(m+1), which is below 0.18. Returns the logarithm of m alone.
__KCACHE_DEVICE float __kcache_log_part(float x, float* exponent) {
  const bool tiny = x < 0x1p-126f;
  const int bits = __builtin_bit_cast(int, tiny ? x * 0x1p24f : x) - 0x3f3504f3;
  *exponent = static_cast<float>(bits >> 23) - (tiny ? 24.0f : 0.0f);
  const float m = __builtin_bit_cast(float, (bits & 0x7fffff) + 0x3f3504f3);
  const float f = m - 1.0f;
  const float s = f / (2.0f + f);
  const float z = s * s;
  const float series = z * (2.0f / 3 + z * (2.0f / 5 + z * (2.0f / 7 + z * (2.0f / 9))));
  const float square = 0.5f * f * f;
  return f - (square - s * (square + series));
}

// Zero, infinity, what is below zero, and what is no number.
__KCACHE_DEVICE float __kcache_log_of(float x, float result) {
  return x > 0 && x < __builtin_inff() ? result
         : x == 0                      ? -__builtin_inff()
         : x > 0                       ? x
                                       : __builtin_nanf("");
}

__KCACHE_DEVICE float __kcache_logf(float x) {
  float e;
  const float part = __kcache_log_part(x, &e);
  return __kcache_log_of(x, __builtin_fmaf(e, 0x1.62e400p-1f, __builtin_fmaf(e, 0x1.7f7d1cp-20f, part)));
}
__KCACHE_DEVICE float __kcache_log2f(float x) {
  float e;
  const float part = __kcache_log_part(x, &e);
  return __kcache_log_of(x, __builtin_fmaf(part, 0x1.715476p+0f, __builtin_fmaf(part, 0x1.4ae0c0p-26f, e)));
}
__KCACHE_DEVICE float __kcache_log10f(float x) {
  float e;
  const float part = __kcache_log_part(x, &e);
  const float low = __builtin_fmaf(e, 0x1.3509f8p-18f, part * 0x1.bcb7b2p-2f);
  return __kcache_log_of(x, __builtin_fmaf(e, 0x1.344000p-2f, low));
}
#define __KCACHE_OWN(name) __kcache_##name##f

#define __KCACHE_EXP2(x) __nvvm_ex2_approx_f(x)
#define __KCACHE_LOG2(x) __nvvm_lg2_approx_f(x)
#define __KCACHE_SINE(x) __nvvm_sin_approx_f(x)
#define __KCACHE_COSINE(x) __nvvm_cos_approx_f(x)
#else
#define __KCACHE_OWN(name) __builtin_##name##f

#define __KCACHE_EXP2(x) __builtin_amdgcn_exp2f(x)
#define __KCACHE_LOG2(x) __builtin_amdgcn_logf(x)
// The instructions take turns of a whole circle.
#define __KCACHE_SINE(x) __builtin_amdgcn_sinf(__builtin_amdgcn_fractf((x) * 0x1.45f306p-3f))
#define __KCACHE_COSINE(x) __builtin_amdgcn_cosf(__builtin_amdgcn_fractf((x) * 0x1.45f306p-3f))
#endif

// These the back ends have for float alone.
#ifdef __KCACHE_DEVICE_LIBRARY__
#define __KCACHE_OF_DOUBLE(name)                                                        \
  extern "C" __attribute__((device)) double __ocml_##name##_f64(double);                \
  __KCACHE_DEVICE double name(double x) { return __ocml_##name##_f64(x); }
#else
#define __KCACHE_OF_DOUBLE(name) __KCACHE_LACKING(#name " of double") double name(double);
#endif
#define __KCACHE_FLOAT(name)                                                     \
  __KCACHE_DEVICE float name##f(float x) { return __KCACHE_OWN(name)(x); }       \
  __KCACHE_DEVICE float name(float x) { return __KCACHE_OWN(name)(x); }          \
  __KCACHE_OF_DOUBLE(name)

__KCACHE_FLOAT(exp)
__KCACHE_FLOAT(exp2)
__KCACHE_FLOAT(log)
__KCACHE_FLOAT(log10)
__KCACHE_FLOAT(log2)
__KCACHE_DEVICE float exp10f(float x) { return __KCACHE_OWN(exp10)(x); }
__KCACHE_OF_DOUBLE(exp10)

// The instruction for it is less exact than a root and a division.
__KCACHE_DEVICE float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
__KCACHE_DEVICE float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
__KCACHE_DEVICE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }

__KCACHE_DEVICE float __expf(float x) { return __KCACHE_EXP2(x * 0x1.715476p+0f); }
__KCACHE_DEVICE float __exp10f(float x) { return __KCACHE_EXP2(x * 0x1.a934f0p+1f); }
__KCACHE_DEVICE float __logf(float x) { return __KCACHE_LOG2(x) * 0x1.62e430p-1f; }
__KCACHE_DEVICE float __log2f(float x) { return __KCACHE_LOG2(x); }
__KCACHE_DEVICE float __log10f(float x) { return __KCACHE_LOG2(x) * 0x1.344136p-2f; }
__KCACHE_DEVICE float __sinf(float x) { return __KCACHE_SINE(x); }
__KCACHE_DEVICE float __cosf(float x) { return __KCACHE_COSINE(x); }
__KCACHE_DEVICE void __sincosf(float x, float* sine, float* cosine) {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}
__KCACHE_DEVICE float __tanf(float x) { return __sinf(x) / __cosf(x); }
__KCACHE_DEVICE float __powf(float x, float y) { return __KCACHE_EXP2(y * __KCACHE_LOG2(x)); }

#undef __KCACHE_FLOAT
#undef __KCACHE_OF_DOUBLE
#undef __KCACHE_OWN
#undef __KCACHE_EXP2
#undef __KCACHE_LOG2
#undef __KCACHE_SINE
#undef __KCACHE_COSINE
