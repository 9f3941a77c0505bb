// SPDX-License-Identifier: Apache-2.0
//
// What LLVM's back ends compute by themselves. The rest comes from ROCm's device library where it is
// linked in (__KCACHE_DEVICE_LIBRARY__); where it is not, it is declared, so that a call of it says who has it.
#pragma once

#include <kcache/language.h>

#define __KCACHE_MATH1(name, builtin)                                              \
  __KCACHE_DEVICE float name##f(float x) { return __builtin_##builtin##f(x); }     \
  __KCACHE_DEVICE float name(float x) { return __builtin_##builtin##f(x); }        \
  __KCACHE_DEVICE double name(double x) { return __builtin_##builtin(x); }

#define __KCACHE_MATH2(name, builtin)                                                         \
  __KCACHE_DEVICE float name##f(float x, float y) { return __builtin_##builtin##f(x, y); }    \
  __KCACHE_DEVICE float name(float x, float y) { return __builtin_##builtin##f(x, y); }       \
  __KCACHE_DEVICE double name(double x, double y) { return __builtin_##builtin(x, y); }

__KCACHE_MATH1(ceil, ceil)
__KCACHE_MATH1(fabs, fabs)
__KCACHE_MATH1(floor, floor)
__KCACHE_MATH1(nearbyint, nearbyint)
__KCACHE_MATH1(rint, rint)
__KCACHE_MATH1(round, round)
__KCACHE_MATH1(sqrt, sqrt)
__KCACHE_MATH1(trunc, trunc)
__KCACHE_MATH2(copysign, copysign)
__KCACHE_MATH2(fmax, fmax)
__KCACHE_MATH2(fmin, fmin)

__KCACHE_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__KCACHE_DEVICE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__KCACHE_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__KCACHE_DEVICE float fdimf(float x, float y) { return x > y ? x - y : x != x || y != y ? x + y : 0.0f; }
__KCACHE_DEVICE double fdim(double x, double y) { return x > y ? x - y : x != x || y != y ? x + y : 0.0; }
__KCACHE_DEVICE float ldexpf(float x, int e) { return __builtin_ldexpf(x, e); }
__KCACHE_DEVICE double ldexp(double x, int e) { return __builtin_ldexp(x, e); }
__KCACHE_DEVICE float scalbnf(float x, int e) { return __builtin_ldexpf(x, e); }
__KCACHE_DEVICE double scalbn(double x, int e) { return __builtin_ldexp(x, e); }
__KCACHE_DEVICE float frexpf(float x, int* e) { return __builtin_frexpf(x, e); }
__KCACHE_DEVICE double frexp(double x, int* e) { return __builtin_frexp(x, e); }
#define __KCACHE_TO_INTEGER(T, name, builtin)                                                 \
  __KCACHE_DEVICE T name##f(float x) { return static_cast<T>(__builtin_##builtin##f(x)); }    \
  __KCACHE_DEVICE T name(float x) { return static_cast<T>(__builtin_##builtin##f(x)); }       \
  __KCACHE_DEVICE T name(double x) { return static_cast<T>(__builtin_##builtin(x)); }

__KCACHE_TO_INTEGER(long, lrint, rint)
__KCACHE_TO_INTEGER(long, lround, round)
__KCACHE_TO_INTEGER(long long, llrint, rint)
__KCACHE_TO_INTEGER(long long, llround, round)
__KCACHE_DEVICE float saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
__KCACHE_DEVICE float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }

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
__KCACHE_DEVICE float __fdividef(float x, float y) { return x / y; }
__KCACHE_DEVICE float __frcp_rn(float x) { return 1.0f / x; }
__KCACHE_DEVICE float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
__KCACHE_DEVICE float __frsqrt_rn(float x) { return 1.0f / __builtin_sqrtf(x); }
__KCACHE_DEVICE float __fadd_rn(float x, float y) { return x + y; }
__KCACHE_DEVICE float __fsub_rn(float x, float y) { return x - y; }
__KCACHE_DEVICE float __fdiv_rn(float x, float y) { return x / y; }
__KCACHE_DEVICE float fdividef(float x, float y) { return x / y; }
__KCACHE_DEVICE double __drcp_rn(double x) { return 1.0 / x; }
__KCACHE_DEVICE double __dadd_rn(double x, double y) { return x + y; }
__KCACHE_DEVICE double __dsub_rn(double x, double y) { return x - y; }
__KCACHE_DEVICE double __dmul_rn(double x, double y) { return x * y; }
__KCACHE_DEVICE double __ddiv_rn(double x, double y) { return x / y; }
__KCACHE_DEVICE double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
__KCACHE_DEVICE double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }
__KCACHE_DEVICE float __fmul_rn(float x, float y) { return x * y; }
__KCACHE_DEVICE float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

#define __KCACHE_CLASS(name, builtin)                                       \
  __KCACHE_DEVICE bool name(float x) { return builtin(x); }                 \
  __KCACHE_DEVICE bool name(double x) { return builtin(x); }

__KCACHE_CLASS(isfinite, __builtin_isfinite)
__KCACHE_CLASS(isinf, __builtin_isinf)
__KCACHE_CLASS(isnan, __builtin_isnan)
__KCACHE_CLASS(isnormal, __builtin_isnormal)
__KCACHE_CLASS(signbit, __builtin_signbit)

__KCACHE_DEVICE int abs(int x) { return x < 0 ? -x : x; }
__KCACHE_DEVICE long abs(long x) { return x < 0 ? -x : x; }
__KCACHE_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
__KCACHE_DEVICE float abs(float x) { return __builtin_fabsf(x); }
__KCACHE_DEVICE double abs(double x) { return __builtin_fabs(x); }
__KCACHE_DEVICE long labs(long x) { return x < 0 ? -x : x; }
__KCACHE_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }

#define __KCACHE_MINMAX(T)                                     \
  __KCACHE_DEVICE T min(T x, T y) { return x < y ? x : y; }    \
  __KCACHE_DEVICE T max(T x, T y) { return x > y ? x : y; }

__KCACHE_MINMAX(int)
__KCACHE_MINMAX(unsigned)
__KCACHE_MINMAX(long)
__KCACHE_MINMAX(unsigned long)
__KCACHE_MINMAX(long long)
__KCACHE_MINMAX(unsigned long long)
// As CUDA's for two types: the result has room for both.
__KCACHE_DEVICE unsigned min(unsigned x, int y) { return min(x, unsigned(y)); }
__KCACHE_DEVICE unsigned min(int x, unsigned y) { return min(unsigned(x), y); }
__KCACHE_DEVICE unsigned max(unsigned x, int y) { return max(x, unsigned(y)); }
__KCACHE_DEVICE unsigned max(int x, unsigned y) { return max(unsigned(x), y); }
__KCACHE_DEVICE float min(float x, float y) { return __builtin_fminf(x, y); }
__KCACHE_DEVICE float max(float x, float y) { return __builtin_fmaxf(x, y); }
__KCACHE_DEVICE double min(double x, double y) { return __builtin_fmin(x, y); }
__KCACHE_DEVICE double max(double x, double y) { return __builtin_fmax(x, y); }

// What the back ends do not have. With ROCm's device library it is called by the names that that has: see
// its ocml.h.
#ifdef __KCACHE_DEVICE_LIBRARY__
#define __KCACHE_LIBRARY1(name, ocml)                                               \
  extern "C" __attribute__((device)) float __ocml_##ocml##_f32(float);              \
  extern "C" __attribute__((device)) double __ocml_##ocml##_f64(double);            \
  __KCACHE_DEVICE float name##f(float x) { return __ocml_##ocml##_f32(x); }         \
  __KCACHE_DEVICE float name(float x) { return __ocml_##ocml##_f32(x); }            \
  __KCACHE_DEVICE double name(double x) { return __ocml_##ocml##_f64(x); }

#define __KCACHE_LIBRARY2(name)                                                                \
  extern "C" __attribute__((device)) float __ocml_##name##_f32(float, float);                  \
  extern "C" __attribute__((device)) double __ocml_##name##_f64(double, double);               \
  __KCACHE_DEVICE float name##f(float x, float y) { return __ocml_##name##_f32(x, y); }        \
  __KCACHE_DEVICE float name(float x, float y) { return __ocml_##name##_f32(x, y); }           \
  __KCACHE_DEVICE double name(double x, double y) { return __ocml_##name##_f64(x, y); }

// Those of two results give the second one through a pointer to a thread's own memory.
#define __KCACHE_PRIVATE __attribute__((address_space(5)))
#define __KCACHE_PAIR(name, suffix, ocml, T, BITS)                                                   \
  extern "C" __attribute__((device)) T __ocml_##ocml##_f##BITS(T, __KCACHE_PRIVATE T*);              \
  __KCACHE_DEVICE void name##suffix(T x, T* sine, T* cosine) {                                       \
    T second;                                                                                        \
    *sine = __ocml_##ocml##_f##BITS(x, (__KCACHE_PRIVATE T*)&second);                                \
    *cosine = second;                                                                                \
  }
#define __KCACHE_MODF(name, T, BITS)                                                                 \
  extern "C" __attribute__((device)) T __ocml_modf_f##BITS(T, __KCACHE_PRIVATE T*);                  \
  __KCACHE_DEVICE T name(T x, T* whole) {                                                            \
    T second;                                                                                        \
    const T part = __ocml_modf_f##BITS(x, (__KCACHE_PRIVATE T*)&second);                             \
    *whole = second;                                                                                 \
    return part;                                                                                     \
  }
// The length of a vector, and what it is the inverse of.
#define __KCACHE_LENGTHS(suffix, T, BITS)                                                            \
  extern "C" __attribute__((device)) T __ocml_len3_f##BITS(T, T, T);                                 \
  extern "C" __attribute__((device)) T __ocml_len4_f##BITS(T, T, T, T);                              \
  extern "C" __attribute__((device)) T __ocml_rlen3_f##BITS(T, T, T);                                \
  extern "C" __attribute__((device)) T __ocml_rlen4_f##BITS(T, T, T, T);                             \
  __KCACHE_DEVICE T norm3d##suffix(T x, T y, T z) { return __ocml_len3_f##BITS(x, y, z); }           \
  __KCACHE_DEVICE T norm4d##suffix(T x, T y, T z, T w) { return __ocml_len4_f##BITS(x, y, z, w); }   \
  __KCACHE_DEVICE T rnorm3d##suffix(T x, T y, T z) { return __ocml_rlen3_f##BITS(x, y, z); }         \
  __KCACHE_DEVICE T rnorm4d##suffix(T x, T y, T z, T w) { return __ocml_rlen4_f##BITS(x, y, z, w); }
#define __KCACHE_POWER_OF_INTEGER(name, T, BITS)                          \
  extern "C" __attribute__((device)) T __ocml_pown_f##BITS(T, int);       \
  __KCACHE_DEVICE T name(T x, int y) { return __ocml_pown_f##BITS(x, y); }
#define __KCACHE_ILOGB(name, T, BITS)                                    \
  extern "C" __attribute__((device)) int __ocml_ilogb_f##BITS(T);        \
  __KCACHE_DEVICE int name(T x) { return __ocml_ilogb_f##BITS(x); }

extern "C" __attribute__((device)) int printf(const char*, ...);
#else
#define __KCACHE_LIBRARY1(name, ocml)                  \
  __KCACHE_LACKING(#name "f") float name##f(float);    \
  __KCACHE_LACKING(#name) float name(float);           \
  __KCACHE_LACKING(#name) double name(double);

#define __KCACHE_LIBRARY2(name)                               \
  __KCACHE_LACKING(#name "f") float name##f(float, float);    \
  __KCACHE_LACKING(#name) float name(float, float);           \
  __KCACHE_LACKING(#name) double name(double, double);

#define __KCACHE_PAIR(name, suffix, ocml, T, BITS) \
  __KCACHE_LACKING(#name #suffix) void name##suffix(T, T*, T*);
#define __KCACHE_MODF(name, T, BITS) __KCACHE_LACKING(#name) T name(T, T*);
#define __KCACHE_LENGTHS(suffix, T, BITS)                            \
  __KCACHE_LACKING("norm3d" #suffix) T norm3d##suffix(T, T, T);      \
  __KCACHE_LACKING("norm4d" #suffix) T norm4d##suffix(T, T, T, T);   \
  __KCACHE_LACKING("rnorm3d" #suffix) T rnorm3d##suffix(T, T, T);    \
  __KCACHE_LACKING("rnorm4d" #suffix) T rnorm4d##suffix(T, T, T, T);
#define __KCACHE_POWER_OF_INTEGER(name, T, BITS) __KCACHE_LACKING(#name) T name(T, int);
#define __KCACHE_ILOGB(name, T, BITS) __KCACHE_LACKING(#name) int name(T);

#ifdef __NVPTX__
template <class... T>
__KCACHE_LACKING("printf") int printf(const char*, T...);
#else
__KCACHE_LACKING("printf") int printf(const char*, ...);
#endif
#endif

__KCACHE_LIBRARY1(acos, acos)
__KCACHE_LIBRARY1(acosh, acosh)
__KCACHE_LIBRARY1(asin, asin)
__KCACHE_LIBRARY1(asinh, asinh)
__KCACHE_LIBRARY1(atan, atan)
__KCACHE_LIBRARY1(atanh, atanh)
__KCACHE_LIBRARY1(cbrt, cbrt)
__KCACHE_LIBRARY1(cos, cos)
__KCACHE_LIBRARY1(cosh, cosh)
__KCACHE_LIBRARY1(cospi, cospi)
__KCACHE_LIBRARY1(cyl_bessel_i0, i0)
__KCACHE_LIBRARY1(cyl_bessel_i1, i1)
__KCACHE_LIBRARY1(erf, erf)
__KCACHE_LIBRARY1(erfc, erfc)
__KCACHE_LIBRARY1(erfcinv, erfcinv)
__KCACHE_LIBRARY1(erfcx, erfcx)
__KCACHE_LIBRARY1(erfinv, erfinv)
__KCACHE_LIBRARY1(expm1, expm1)
__KCACHE_LIBRARY1(j0, j0)
__KCACHE_LIBRARY1(j1, j1)
__KCACHE_LIBRARY1(lgamma, lgamma)
__KCACHE_LIBRARY1(log1p, log1p)
__KCACHE_LIBRARY1(logb, logb)
__KCACHE_LIBRARY1(normcdf, ncdf)
__KCACHE_LIBRARY1(normcdfinv, ncdfinv)
__KCACHE_LIBRARY1(rcbrt, rcbrt)
__KCACHE_LIBRARY1(sin, sin)
__KCACHE_LIBRARY1(sinh, sinh)
__KCACHE_LIBRARY1(sinpi, sinpi)
__KCACHE_LIBRARY1(tan, tan)
__KCACHE_LIBRARY1(tanh, tanh)
__KCACHE_LIBRARY1(tgamma, tgamma)
__KCACHE_LIBRARY1(y0, y0)
__KCACHE_LIBRARY1(y1, y1)
__KCACHE_LIBRARY2(atan2)
__KCACHE_LIBRARY2(fmod)
__KCACHE_LIBRARY2(hypot)
__KCACHE_LIBRARY2(nextafter)
__KCACHE_LIBRARY2(pow)
__KCACHE_LIBRARY2(remainder)
__KCACHE_LIBRARY2(rhypot)
__KCACHE_PAIR(sincos, f, sincos, float, 32)
__KCACHE_PAIR(sincos, , sincos, double, 64)
__KCACHE_PAIR(sincospi, f, sincospi, float, 32)
__KCACHE_PAIR(sincospi, , sincospi, double, 64)
__KCACHE_MODF(modff, float, 32)
__KCACHE_MODF(modf, float, 32)
__KCACHE_MODF(modf, double, 64)
__KCACHE_LENGTHS(f, float, 32)
__KCACHE_LENGTHS(, double, 64)
__KCACHE_POWER_OF_INTEGER(powif, float, 32)
__KCACHE_POWER_OF_INTEGER(powi, double, 64)
__KCACHE_ILOGB(ilogbf, float, 32)
__KCACHE_ILOGB(ilogb, float, 32)
__KCACHE_ILOGB(ilogb, double, 64)

#undef __KCACHE_MATH1
#undef __KCACHE_MATH2
#undef __KCACHE_TO_INTEGER
#undef __KCACHE_FLOAT
#undef __KCACHE_OF_DOUBLE
#undef __KCACHE_OWN
#undef __KCACHE_EXP2
#undef __KCACHE_LOG2
#undef __KCACHE_SINE
#undef __KCACHE_COSINE
#undef __KCACHE_CLASS
#undef __KCACHE_MINMAX
#undef __KCACHE_LIBRARY1
#undef __KCACHE_LIBRARY2
#undef __KCACHE_PRIVATE
#undef __KCACHE_PAIR
#undef __KCACHE_MODF
#undef __KCACHE_ILOGB
#undef __KCACHE_LENGTHS
#undef __KCACHE_POWER_OF_INTEGER

// As in HIP without regard to squares that are too large or too small for a float.
#define __KCACHE_NORM(suffix, T)                                       \
  __KCACHE_DEVICE T norm##suffix(int count, const T* vector) {         \
    T squares = 0;                                                     \
    for (int i = 0; i < count; ++i) {                                  \
      squares += vector[i] * vector[i];                                \
    }                                                                  \
    return sqrt(squares);                                              \
  }                                                                    \
  __KCACHE_DEVICE T rnorm##suffix(int count, const T* vector) {        \
    return 1 / norm##suffix(count, vector);                            \
  }

__KCACHE_NORM(f, float)
__KCACHE_NORM(, double)

#undef __KCACHE_NORM
