// SPDX-License-Identifier: Apache-2.0
//
// What LLVM's back ends do not have. Where ROCm's device library is linked in (__KCACHE_DEVICE_LIBRARY__) it
// is called by the names that the library has: see its ocml.h. Where it is not, the functions are declared, so
// that a call says who has them.
#pragma once

#include <kcache/language.h>

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
#define __KCACHE_POWER_OF_INTEGER(name, T, BITS)                            \
  extern "C" __attribute__((device)) T __ocml_pown_f##BITS(T, int);         \
  __KCACHE_DEVICE T name(T x, int y) { return __ocml_pown_f##BITS(x, y); }
#define __KCACHE_ILOGB(name, T, BITS)                                    \
  extern "C" __attribute__((device)) int __ocml_ilogb_f##BITS(T);        \
  __KCACHE_DEVICE int name(T x) { return __ocml_ilogb_f##BITS(x); }

#define __KCACHE_REMQUO(name, T, BITS)                                                               \
  extern "C" __attribute__((device)) T __ocml_remquo_f##BITS(T, T, __KCACHE_PRIVATE int*);           \
  __KCACHE_DEVICE T name(T x, T y, int* quotient) {                                                  \
    int second;                                                                                      \
    const T rest = __ocml_remquo_f##BITS(x, y, (__KCACHE_PRIVATE int*)&second);                      \
    *quotient = second;                                                                              \
    return rest;                                                                                     \
  }
// Each of Bessel's functions is made of the two below it.
#define __KCACHE_BESSEL(name, suffix, T)                              \
  __KCACHE_DEVICE T name##n##suffix(int n, T x) {                     \
    if (n == 0) return name##0##suffix(x);                            \
    T below = name##0##suffix(x);                                     \
    T result = name##1##suffix(x);                                    \
    for (int i = 1; i < n; ++i) {                                     \
      const T next = static_cast<T>(2 * i) / x * result - below;      \
      below = result;                                                 \
      result = next;                                                  \
    }                                                                 \
    return result;                                                    \
  }

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
#define __KCACHE_REMQUO(name, T, BITS) __KCACHE_LACKING(#name) T name(T, T, int*);
#define __KCACHE_BESSEL(name, suffix, T) __KCACHE_LACKING(#name "n" #suffix) T name##n##suffix(int, T);

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
__KCACHE_POWER_OF_INTEGER(pow, _Float16, 16)
__KCACHE_POWER_OF_INTEGER(pow, float, 32)
__KCACHE_POWER_OF_INTEGER(pow, double, 64)
__KCACHE_ILOGB(ilogbf, float, 32)
__KCACHE_ILOGB(ilogb, float, 32)
__KCACHE_ILOGB(ilogb, double, 64)
__KCACHE_REMQUO(remquof, float, 32)
__KCACHE_REMQUO(remquo, float, 32)
__KCACHE_REMQUO(remquo, double, 64)
__KCACHE_BESSEL(j, f, float)
__KCACHE_BESSEL(j, , double)
__KCACHE_BESSEL(y, f, float)
__KCACHE_BESSEL(y, , double)

#undef __KCACHE_LIBRARY1
#undef __KCACHE_LIBRARY2
#undef __KCACHE_PRIVATE
#undef __KCACHE_PAIR
#undef __KCACHE_MODF
#undef __KCACHE_ILOGB
#undef __KCACHE_LENGTHS
#undef __KCACHE_POWER_OF_INTEGER
#undef __KCACHE_REMQUO
#undef __KCACHE_BESSEL
