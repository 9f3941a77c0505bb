// SPDX-License-Identifier: Apache-2.0
//
// What AMD's back end computes by itself. What it does not is declared, so that a call of it says who
// has it: ROCm's device library.
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
__KCACHE_DEVICE int lrintf(float x) { return static_cast<int>(__builtin_rintf(x)); }
__KCACHE_DEVICE float saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
__KCACHE_DEVICE float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }

// These the back end has for float alone.
#define __KCACHE_FLOAT(name)                                                     \
  __KCACHE_DEVICE float name##f(float x) { return __builtin_##name##f(x); }      \
  __KCACHE_DEVICE float name(float x) { return __builtin_##name##f(x); }         \
  __KCACHE_LACKING(#name " of double") double name(double);

__KCACHE_FLOAT(exp)
__KCACHE_FLOAT(exp2)
__KCACHE_FLOAT(log)
__KCACHE_FLOAT(log10)
__KCACHE_FLOAT(log2)
__KCACHE_DEVICE float exp10f(float x) { return __builtin_exp10f(x); }

// The instruction for it is less exact than a root and a division.
__KCACHE_DEVICE float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
__KCACHE_DEVICE float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
__KCACHE_DEVICE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }

__KCACHE_DEVICE float __expf(float x) { return __builtin_amdgcn_exp2f(x * 0x1.715476p+0f); }
__KCACHE_DEVICE float __exp10f(float x) { return __builtin_amdgcn_exp2f(x * 0x1.a934f0p+1f); }
__KCACHE_DEVICE float __logf(float x) { return __builtin_amdgcn_logf(x) * 0x1.62e430p-1f; }
__KCACHE_DEVICE float __log2f(float x) { return __builtin_amdgcn_logf(x); }
__KCACHE_DEVICE float __log10f(float x) { return __builtin_amdgcn_logf(x) * 0x1.344136p-2f; }
// The instructions take turns of a whole circle.
__KCACHE_DEVICE float __sinf(float x) {
  return __builtin_amdgcn_sinf(__builtin_amdgcn_fractf(x * 0x1.45f306p-3f));
}
__KCACHE_DEVICE float __cosf(float x) {
  return __builtin_amdgcn_cosf(__builtin_amdgcn_fractf(x * 0x1.45f306p-3f));
}
__KCACHE_DEVICE void __sincosf(float x, float* sine, float* cosine) {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}
__KCACHE_DEVICE float __tanf(float x) { return __sinf(x) / __cosf(x); }
__KCACHE_DEVICE float __powf(float x, float y) {
  return __builtin_amdgcn_exp2f(y * __builtin_amdgcn_logf(x));
}
__KCACHE_DEVICE float __fdividef(float x, float y) { return x / y; }
__KCACHE_DEVICE float __frcp_rn(float x) { return 1.0f / x; }
__KCACHE_DEVICE float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
__KCACHE_DEVICE float __frsqrt_rn(float x) { return 1.0f / __builtin_sqrtf(x); }
__KCACHE_DEVICE float __fadd_rn(float x, float y) { return x + y; }
__KCACHE_DEVICE float __fsub_rn(float x, float y) { return x - y; }
__KCACHE_DEVICE float __fdiv_rn(float x, float y) { return x / y; }
__KCACHE_DEVICE double __dadd_rn(double x, double y) { return x + y; }
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

#define __KCACHE_LIBRARY1(name)                        \
  __KCACHE_LACKING(#name "f") float name##f(float);    \
  __KCACHE_LACKING(#name) float name(float);           \
  __KCACHE_LACKING(#name) double name(double);

#define __KCACHE_LIBRARY2(name)                               \
  __KCACHE_LACKING(#name "f") float name##f(float, float);    \
  __KCACHE_LACKING(#name) float name(float, float);           \
  __KCACHE_LACKING(#name) double name(double, double);

__KCACHE_LIBRARY1(acos)
__KCACHE_LIBRARY1(acosh)
__KCACHE_LIBRARY1(asin)
__KCACHE_LIBRARY1(asinh)
__KCACHE_LIBRARY1(atan)
__KCACHE_LIBRARY1(atanh)
__KCACHE_LIBRARY1(cbrt)
__KCACHE_LIBRARY1(cos)
__KCACHE_LIBRARY1(cosh)
__KCACHE_LIBRARY1(cospi)
__KCACHE_LIBRARY1(erf)
__KCACHE_LIBRARY1(erfc)
__KCACHE_LIBRARY1(erfcinv)
__KCACHE_LIBRARY1(erfinv)
__KCACHE_LIBRARY1(expm1)
__KCACHE_LIBRARY1(lgamma)
__KCACHE_LIBRARY1(log1p)
__KCACHE_LIBRARY1(normcdf)
__KCACHE_LIBRARY1(rcbrt)
__KCACHE_LIBRARY1(sin)
__KCACHE_LIBRARY1(sinh)
__KCACHE_LIBRARY1(sinpi)
__KCACHE_LIBRARY1(tan)
__KCACHE_LIBRARY1(tanh)
__KCACHE_LIBRARY1(tgamma)
__KCACHE_LIBRARY2(atan2)
__KCACHE_LIBRARY2(fmod)
__KCACHE_LIBRARY2(hypot)
__KCACHE_LIBRARY2(pow)
__KCACHE_LIBRARY2(remainder)
__KCACHE_LACKING("sincosf") void sincosf(float, float*, float*);
__KCACHE_LACKING("sincos") void sincos(double, double*, double*);
__KCACHE_LACKING("printf") int printf(const char*, ...);

#undef __KCACHE_MATH1
#undef __KCACHE_MATH2
#undef __KCACHE_FLOAT
#undef __KCACHE_CLASS
#undef __KCACHE_MINMAX
#undef __KCACHE_LIBRARY1
#undef __KCACHE_LIBRARY2
