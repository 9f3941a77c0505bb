// SPDX-License-Identifier: Apache-2.0
//
// The mathematical functions of whole numbers, and of numbers of two types. The result is that of the type that
// has room for both, as the C++ library has it; a whole number counts as a double.
#pragma once

#include <kcache/language.h>

template <class T, bool whole = __is_integral(T)>
struct __kcache_promoted {};
template <class T>
struct __kcache_promoted<T, true> {
  using type = double;
};
template <>
struct __kcache_promoted<float, false> {
  using type = float;
};
template <>
struct __kcache_promoted<double, false> {
  using type = double;
};

#define __KCACHE_PROMOTED(T) typename __kcache_promoted<T>::type
#define __KCACHE_OF_WHOLE(Result, name)                                                       \
  template <class T, class P = __KCACHE_PROMOTED(T)>                                          \
  __KCACHE_DEVICE Result name(T x) {                                                          \
    return name(static_cast<P>(x));                                                           \
  }
#define __KCACHE_OF_TWO(Result, name)                                                         \
  template <class T, class U, class P = decltype(__KCACHE_PROMOTED(T)() + __KCACHE_PROMOTED(U)())> \
  __KCACHE_DEVICE Result name(T x, U y) {                                                     \
    return name(static_cast<P>(x), static_cast<P>(y));                                        \
  }
#define __KCACHE_WITH(Result, name, Second)                                                   \
  template <class T, class P = __KCACHE_PROMOTED(T)>                                          \
  __KCACHE_DEVICE Result name(T x, Second second) {                                           \
    return name(static_cast<P>(x), second);                                                   \
  }

__KCACHE_OF_WHOLE(double, acos)
__KCACHE_OF_WHOLE(double, acosh)
__KCACHE_OF_WHOLE(double, asin)
__KCACHE_OF_WHOLE(double, asinh)
__KCACHE_OF_WHOLE(double, atan)
__KCACHE_OF_WHOLE(double, atanh)
__KCACHE_OF_WHOLE(double, cbrt)
__KCACHE_OF_WHOLE(double, ceil)
__KCACHE_OF_WHOLE(double, cos)
__KCACHE_OF_WHOLE(double, cosh)
__KCACHE_OF_WHOLE(double, erf)
__KCACHE_OF_WHOLE(double, erfc)
__KCACHE_OF_WHOLE(double, exp)
__KCACHE_OF_WHOLE(double, exp2)
__KCACHE_OF_WHOLE(double, expm1)
__KCACHE_OF_WHOLE(double, fabs)
__KCACHE_OF_WHOLE(double, floor)
__KCACHE_OF_WHOLE(double, lgamma)
__KCACHE_OF_WHOLE(double, log)
__KCACHE_OF_WHOLE(double, log10)
__KCACHE_OF_WHOLE(double, log1p)
__KCACHE_OF_WHOLE(double, log2)
__KCACHE_OF_WHOLE(double, logb)
__KCACHE_OF_WHOLE(double, nearbyint)
__KCACHE_OF_WHOLE(double, rint)
__KCACHE_OF_WHOLE(double, round)
__KCACHE_OF_WHOLE(double, sin)
__KCACHE_OF_WHOLE(double, sinh)
__KCACHE_OF_WHOLE(double, sqrt)
__KCACHE_OF_WHOLE(double, tan)
__KCACHE_OF_WHOLE(double, tanh)
__KCACHE_OF_WHOLE(double, tgamma)
__KCACHE_OF_WHOLE(double, trunc)
__KCACHE_OF_WHOLE(int, fpclassify)
__KCACHE_OF_WHOLE(int, ilogb)
__KCACHE_OF_WHOLE(bool, isfinite)
__KCACHE_OF_WHOLE(bool, isinf)
__KCACHE_OF_WHOLE(bool, isnan)
__KCACHE_OF_WHOLE(bool, isnormal)
__KCACHE_OF_WHOLE(bool, signbit)
__KCACHE_OF_WHOLE(long long, llrint)
__KCACHE_OF_WHOLE(long long, llround)
__KCACHE_OF_WHOLE(long, lrint)
__KCACHE_OF_WHOLE(long, lround)
__KCACHE_OF_TWO(double, atan2)
__KCACHE_OF_TWO(double, copysign)
__KCACHE_OF_TWO(double, fdim)
__KCACHE_OF_TWO(double, fmax)
__KCACHE_OF_TWO(double, fmin)
__KCACHE_OF_TWO(double, fmod)
__KCACHE_OF_TWO(double, hypot)
__KCACHE_OF_TWO(double, max)
__KCACHE_OF_TWO(double, min)
__KCACHE_OF_TWO(double, nextafter)
__KCACHE_OF_TWO(double, pow)
__KCACHE_OF_TWO(double, remainder)
__KCACHE_OF_TWO(bool, isgreater)
__KCACHE_OF_TWO(bool, isgreaterequal)
__KCACHE_OF_TWO(bool, isless)
__KCACHE_OF_TWO(bool, islessequal)
__KCACHE_OF_TWO(bool, islessgreater)
__KCACHE_OF_TWO(bool, isunordered)
__KCACHE_WITH(double, frexp, int*)
__KCACHE_WITH(double, ldexp, int)
__KCACHE_WITH(double, modf, double*)
__KCACHE_WITH(double, scalbln, long)
__KCACHE_WITH(double, scalbn, int)

template <class T, class U, class P = decltype(__KCACHE_PROMOTED(T)() + __KCACHE_PROMOTED(U)())>
__KCACHE_DEVICE P remquo(T x, U y, int* quotient) {
  return remquo(static_cast<P>(x), static_cast<P>(y), quotient);
}
template <class T, class U, class V,
          class P = decltype(__KCACHE_PROMOTED(T)() + __KCACHE_PROMOTED(U)() + __KCACHE_PROMOTED(V)())>
__KCACHE_DEVICE P fma(T x, U y, V z) {
  return fma(static_cast<P>(x), static_cast<P>(y), static_cast<P>(z));
}

// Of one type, whatever it is.
template <class T>
__KCACHE_DEVICE T min(T x, T y) {
  return x < y ? x : y;
}
template <class T>
__KCACHE_DEVICE T max(T x, T y) {
  return x > y ? x : y;
}

#undef __KCACHE_PROMOTED
#undef __KCACHE_OF_WHOLE
#undef __KCACHE_OF_TWO
#undef __KCACHE_WITH
