// SPDX-License-Identifier: Apache-2.0
//
// __hip_bfloat16: the upper half of a float. It is computed with as float and rounded to the nearest
// once, ties to even, which is the correctly rounded result of one operation.
#pragma once

#include <hip/hip_runtime.h>

struct __hip_bfloat16_raw {
  unsigned short x;
};

struct __hip_bfloat16 {
  unsigned short __bits;

  __hip_bfloat16() = default;
  __device__ constexpr __hip_bfloat16(float value) : __bits(__round(value)) {}
  __device__ constexpr __hip_bfloat16(double value) : __bits(__round(static_cast<float>(value))) {}
  __device__ constexpr __hip_bfloat16(int value) : __bits(__round(static_cast<float>(value))) {}
  __device__ constexpr __hip_bfloat16(__hip_bfloat16_raw raw) : __bits(raw.x) {}
  __device__ constexpr operator float() const {
    return __builtin_bit_cast(float, static_cast<unsigned>(__bits) << 16);
  }
  __device__ constexpr operator __hip_bfloat16_raw() const { return {__bits}; }

  // A NaN stays one, and becomes quiet.
  static __device__ constexpr unsigned short __round(float value) {
    const unsigned whole = __builtin_bit_cast(unsigned, value);
    return value != value ? whole >> 16 | 0x40 : (whole + 0x7fff + (whole >> 16 & 1)) >> 16;
  }
};

struct alignas(4) __hip_bfloat162 {
  __hip_bfloat16 x, y;
};

#define __KCACHE_BF16_OPERATOR(op, name)                                                      \
  __KCACHE_DEVICE __hip_bfloat16 operator op(__hip_bfloat16 a, __hip_bfloat16 b) {            \
    return static_cast<float>(a) op static_cast<float>(b);                                    \
  }                                                                                           \
  __KCACHE_DEVICE __hip_bfloat16& operator op##=(__hip_bfloat16& a, __hip_bfloat16 b) {       \
    return a = a op b;                                                                        \
  }                                                                                           \
  __KCACHE_DEVICE __hip_bfloat16 name(__hip_bfloat16 a, __hip_bfloat16 b) { return a op b; }

__KCACHE_BF16_OPERATOR(+, __hadd)
__KCACHE_BF16_OPERATOR(-, __hsub)
__KCACHE_BF16_OPERATOR(*, __hmul)
__KCACHE_BF16_OPERATOR(/, __hdiv)

#undef __KCACHE_BF16_OPERATOR

__KCACHE_DEVICE __hip_bfloat16 __float2bfloat16(float x) { return x; }
__KCACHE_DEVICE __hip_bfloat16 __double2bfloat16(double x) { return x; }
__KCACHE_DEVICE float __bfloat162float(__hip_bfloat16 x) { return x; }
__KCACHE_DEVICE __hip_bfloat16 __hfma(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c) {
  return __builtin_fmaf(a, b, c);
}
__KCACHE_DEVICE __hip_bfloat16 __hneg(__hip_bfloat16 x) {
  return __hip_bfloat16_raw{static_cast<unsigned short>(x.__bits ^ 0x8000)};
}
__KCACHE_DEVICE __hip_bfloat16 __habs(__hip_bfloat16 x) {
  return __hip_bfloat16_raw{static_cast<unsigned short>(x.__bits & 0x7fff)};
}
__KCACHE_DEVICE unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) { return x.__bits; }
__KCACHE_DEVICE __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) {
  return __hip_bfloat16_raw{x};
}
__KCACHE_DEVICE __hip_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
__KCACHE_DEVICE float2 __bfloat1622float2(__hip_bfloat162 x) {
  return {static_cast<float>(x.x), static_cast<float>(x.y)};
}
