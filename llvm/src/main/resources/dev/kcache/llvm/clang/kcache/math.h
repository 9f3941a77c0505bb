// SPDX-License-Identifier: Apache-2.0
//
// HIP's mathematical functions: here those that LLVM's back ends compute by themselves.
#pragma once

#include <kcache/exponentials.h>
#include <kcache/language.h>
#include <kcache/library_math.h>

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
__KCACHE_DEVICE _Float16 fma(_Float16 x, _Float16 y, _Float16 z) { return __builtin_fmaf16(x, y, z); }
__KCACHE_DEVICE float fdimf(float x, float y) { return x > y ? x - y : x != x || y != y ? x + y : 0.0f; }
__KCACHE_DEVICE float fdim(float x, float y) { return fdimf(x, y); }
__KCACHE_DEVICE double fdim(double x, double y) { return x > y ? x - y : x != x || y != y ? x + y : 0.0; }
__KCACHE_DEVICE float frexpf(float x, int* e) { return __builtin_frexpf(x, e); }
__KCACHE_DEVICE float frexp(float x, int* e) { return __builtin_frexpf(x, e); }
__KCACHE_DEVICE double frexp(double x, int* e) { return __builtin_frexp(x, e); }

#define __KCACHE_SCALE(name, Exponent, exponent)                                                             \
  __KCACHE_DEVICE float name##f(float x, Exponent e) { return __builtin_ldexpf(x, exponent); }               \
  __KCACHE_DEVICE float name(float x, Exponent e) { return __builtin_ldexpf(x, exponent); }                  \
  __KCACHE_DEVICE double name(double x, Exponent e) { return __builtin_ldexp(x, exponent); }

__KCACHE_SCALE(ldexp, int, e)
__KCACHE_SCALE(scalbn, int, e)
// Beyond 9,999 every number is infinite or zero.
__KCACHE_SCALE(scalbln, long, static_cast<int>(e > 9999 ? 9999 : e < -9999 ? -9999 : e))

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

// C's names for the same.
__KCACHE_DEVICE bool __finitef(float x) { return __builtin_isfinite(x); }
__KCACHE_DEVICE bool __finite(double x) { return __builtin_isfinite(x); }
__KCACHE_DEVICE bool __isinff(float x) { return __builtin_isinf(x); }
__KCACHE_DEVICE bool __isinf(double x) { return __builtin_isinf(x); }
__KCACHE_DEVICE bool __isnanf(float x) { return __builtin_isnan(x); }
__KCACHE_DEVICE bool __isnan(double x) { return __builtin_isnan(x); }
__KCACHE_DEVICE bool __signbitf(float x) { return __builtin_signbit(x); }
__KCACHE_DEVICE bool __signbit(double x) { return __builtin_signbit(x); }

#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
__KCACHE_DEVICE int fpclassify(float x) {
  return __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x);
}
__KCACHE_DEVICE int fpclassify(double x) {
  return __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x);
}

#define __KCACHE_COMPARE(name)                                                                \
  __KCACHE_DEVICE bool name(float x, float y) { return __builtin_##name(x, y); }              \
  __KCACHE_DEVICE bool name(double x, double y) { return __builtin_##name(x, y); }

__KCACHE_COMPARE(isgreater)
__KCACHE_COMPARE(isgreaterequal)
__KCACHE_COMPARE(isless)
__KCACHE_COMPARE(islessequal)
__KCACHE_COMPARE(islessgreater)
__KCACHE_COMPARE(isunordered)

// What a tag says, decimal, octal or hexadecimal, stands in the lower bits; nothing if it is no number.
__KCACHE_DEVICE unsigned long long __kcache_tag(const char* tag) {
  const bool prefixed = *tag == '0';
  const bool hexadecimal = prefixed && (tag[1] == 'x' || tag[1] == 'X');
  const unsigned base = hexadecimal ? 16 : prefixed ? 8 : 10;
  unsigned long long value = 0;
  for (tag += hexadecimal ? 2 : 0; *tag; ++tag) {
    const unsigned lower = *tag | 0x20;
    const unsigned digit = lower >= 'a' ? lower - 'a' + 10 : static_cast<unsigned>(*tag) - '0';
    if (digit >= base) return 0;
    value = value * base + digit;
  }
  return value;
}
__KCACHE_DEVICE float nanf(const char* tag) {
  return __builtin_bit_cast(float, 0x7fc00000u | static_cast<unsigned>(__kcache_tag(tag) & 0x3fffff));
}
__KCACHE_DEVICE double nan(const char* tag) {
  return __builtin_bit_cast(double, 0x7ff8000000000000ull | (__kcache_tag(tag) & 0x7ffffffffffffull));
}

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
#ifdef __NVPTX__
// As CUDA's for two types: the result has room for both.
__KCACHE_DEVICE unsigned min(unsigned x, int y) { return min(x, unsigned(y)); }
__KCACHE_DEVICE unsigned min(int x, unsigned y) { return min(unsigned(x), y); }
__KCACHE_DEVICE unsigned max(unsigned x, int y) { return max(x, unsigned(y)); }
__KCACHE_DEVICE unsigned max(int x, unsigned y) { return max(unsigned(x), y); }
#endif
__KCACHE_DEVICE float min(float x, float y) { return __builtin_fminf(x, y); }
__KCACHE_DEVICE float max(float x, float y) { return __builtin_fmaxf(x, y); }
__KCACHE_DEVICE double min(double x, double y) { return __builtin_fmin(x, y); }
__KCACHE_DEVICE double max(double x, double y) { return __builtin_fmax(x, y); }

#undef __KCACHE_MATH1
#undef __KCACHE_MATH2
#undef __KCACHE_TO_INTEGER
#undef __KCACHE_CLASS
#undef __KCACHE_MINMAX
#undef __KCACHE_SCALE
#undef __KCACHE_COMPARE

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

#include <kcache/promotions.h>
