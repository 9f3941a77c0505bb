// SPDX-License-Identifier: Apache-2.0
//
// Conversions between numbers, in HIP's four directions: rn to the nearest, rz towards zero, rd down,
// ru up.
#pragma once

#include <kcache/language.h>

// The type with the bits of a number.
template <class T>
struct __kcache_bits;
template <>
struct __kcache_bits<_Float16> {
  using type = short;
};
template <>
struct __kcache_bits<float> {
  using type = int;
};
template <>
struct __kcache_bits<double> {
  using type = long long;
};

// Whether what a number was rounded to is beyond it (1), short of it (-1), or neither.
template <class T>
__KCACHE_DEVICE int __kcache_compare(T rounded, double exact) {
  return (rounded > exact) - (rounded < exact);
}
template <class T>
__KCACHE_DEVICE int __kcache_compare(T rounded, int exact) {
  return __kcache_compare(rounded, static_cast<double>(exact));
}
template <class T>
__KCACHE_DEVICE int __kcache_compare(T rounded, unsigned exact) {
  return __kcache_compare(rounded, static_cast<double>(exact));
}
// Integers of 64 bits are compared as such, since a double has not all of them. What is outside of
// their range cannot be converted back.
template <class T>
__KCACHE_DEVICE int __kcache_compare(T rounded, long long exact) {
  const double whole = rounded;
  if (whole >= 0x1p63 || whole < -0x1p63) {
    return whole > 0 ? 1 : -1;
  }
  const long long back = static_cast<long long>(whole);
  return (back > exact) - (back < exact);
}
template <class T>
__KCACHE_DEVICE int __kcache_compare(T rounded, unsigned long long exact) {
  const double whole = rounded;
  if (whole >= 0x1p64) {
    return 1;
  }
  const unsigned long long back = static_cast<unsigned long long>(whole);
  return (back > exact) - (back < exact);
}

// The number next to x upwards (1) or downwards (-1).
template <class T>
__KCACHE_DEVICE T __kcache_next(T x, int direction) {
  using Bits = typename __kcache_bits<T>::type;
  if (x == 0) {
    const T least = __builtin_bit_cast(T, static_cast<Bits>(1));
    return direction > 0 ? least : -least;
  }
  // The bits of numbers of one sign are in the order of how far they are from zero.
  const int step = (x > 0) == (direction > 0) ? 1 : -1;
  return __builtin_bit_cast(T, static_cast<Bits>(__builtin_bit_cast(Bits, x) + step));
}

// What is rounded to the nearest goes on to its neighbour where it went to the wrong side.
template <class T, class E>
__KCACHE_DEVICE T __kcache_down(E exact) {
  const T nearest = static_cast<T>(exact);
  return __kcache_compare(nearest, exact) > 0 ? __kcache_next(nearest, -1) : nearest;
}
template <class T, class E>
__KCACHE_DEVICE T __kcache_up(E exact) {
  const T nearest = static_cast<T>(exact);
  return __kcache_compare(nearest, exact) < 0 ? __kcache_next(nearest, 1) : nearest;
}
template <class T, class E>
__KCACHE_DEVICE T __kcache_to_zero(E exact) {
  return exact > 0 ? __kcache_down<T>(exact) : __kcache_up<T>(exact);
}

#define __KCACHE_ROUNDED(name, From, To)                                                     \
  __KCACHE_DEVICE To __##name##_rn(From x) { return static_cast<To>(x); }                    \
  __KCACHE_DEVICE To __##name##_rz(From x) { return __kcache_to_zero<To>(x); }               \
  __KCACHE_DEVICE To __##name##_rd(From x) { return __kcache_down<To>(x); }                  \
  __KCACHE_DEVICE To __##name##_ru(From x) { return __kcache_up<To>(x); }

#define __KCACHE_WHOLE(name, From, To, suffix)                                               \
  __KCACHE_DEVICE To __##name##_rn(From x) {                                                 \
    return static_cast<To>(__builtin_rint##suffix(x));                                       \
  }                                                                                          \
  __KCACHE_DEVICE To __##name##_rz(From x) { return static_cast<To>(x); }                    \
  __KCACHE_DEVICE To __##name##_rd(From x) {                                                 \
    return static_cast<To>(__builtin_floor##suffix(x));                                      \
  }                                                                                          \
  __KCACHE_DEVICE To __##name##_ru(From x) {                                                 \
    return static_cast<To>(__builtin_ceil##suffix(x));                                       \
  }

__KCACHE_WHOLE(float2int, float, int, f)
__KCACHE_WHOLE(float2uint, float, unsigned, f)
__KCACHE_WHOLE(float2ll, float, long long, f)
__KCACHE_WHOLE(float2ull, float, unsigned long long, f)
__KCACHE_WHOLE(double2int, double, int, )
__KCACHE_WHOLE(double2uint, double, unsigned, )
__KCACHE_WHOLE(double2ll, double, long long, )
__KCACHE_WHOLE(double2ull, double, unsigned long long, )

__KCACHE_ROUNDED(int2float, int, float)
__KCACHE_ROUNDED(uint2float, unsigned, float)
__KCACHE_ROUNDED(ll2float, long long, float)
__KCACHE_ROUNDED(ull2float, unsigned long long, float)
__KCACHE_ROUNDED(ll2double, long long, double)
__KCACHE_ROUNDED(ull2double, unsigned long long, double)
__KCACHE_ROUNDED(double2float, double, float)
__KCACHE_DEVICE double __int2double_rn(int x) { return x; }
__KCACHE_DEVICE double __uint2double_rn(unsigned x) { return x; }

#undef __KCACHE_ROUNDED
#undef __KCACHE_WHOLE
