// SPDX-License-Identifier: Apache-2.0
//
// __half and __half2 on _Float16, which AMD's processors compute with.
#pragma once

#include <hip/hip_runtime.h>

struct __half_raw {
  unsigned short x;
};

struct __half {
  _Float16 __value;

  __half() = default;
  __device__ constexpr __half(_Float16 x) : __value(x) {}
  __device__ constexpr __half(float x) : __value(static_cast<_Float16>(x)) {}
  __device__ constexpr __half(double x) : __value(static_cast<_Float16>(x)) {}
  __device__ constexpr __half(int x) : __value(static_cast<_Float16>(x)) {}
  __device__ constexpr __half(unsigned x) : __value(static_cast<_Float16>(x)) {}
  __device__ __half(__half_raw raw) : __value(__builtin_bit_cast(_Float16, raw.x)) {}
  __device__ constexpr operator _Float16() const { return __value; }
  __device__ constexpr operator float() const { return __value; }
  __device__ operator __half_raw() const {
    return {__builtin_bit_cast(unsigned short, __value)};
  }
};

struct alignas(4) __half2 {
  __half x, y;

  __half2() = default;
  __device__ constexpr __half2(__half x, __half y) : x(x), y(y) {}
  __device__ constexpr __half2(__half x) : x(x), y(x) {}
};

using half = __half;
using half2 = __half2;

#define __KCACHE_HALF_OPERATOR(op)                                                       \
  __KCACHE_DEVICE __half operator op(__half a, __half b) {                               \
    return static_cast<_Float16>(a.__value op b.__value);                                \
  }                                                                                      \
  __KCACHE_DEVICE __half& operator op##=(__half& a, __half b) { return a = a op b; }     \
  __KCACHE_DEVICE __half2 operator op(__half2 a, __half2 b) {                            \
    return {a.x op b.x, a.y op b.y};                                                     \
  }                                                                                      \
  __KCACHE_DEVICE __half2& operator op##=(__half2& a, __half2 b) { return a = a op b; }

__KCACHE_HALF_OPERATOR(+)
__KCACHE_HALF_OPERATOR(-)
__KCACHE_HALF_OPERATOR(*)
__KCACHE_HALF_OPERATOR(/)
__KCACHE_DEVICE __half operator-(__half a) { return static_cast<_Float16>(-a.__value); }
__KCACHE_DEVICE __half2 operator-(__half2 a) { return {-a.x, -a.y}; }

#define __KCACHE_HALF_COMPARISON(op, name)                                                \
  __KCACHE_DEVICE bool operator op(__half a, __half b) { return a.__value op b.__value; } \
  __KCACHE_DEVICE bool name(__half a, __half b) { return a.__value op b.__value; }

__KCACHE_HALF_COMPARISON(==, __heq)
__KCACHE_HALF_COMPARISON(!=, __hne)
__KCACHE_HALF_COMPARISON(<, __hlt)
__KCACHE_HALF_COMPARISON(<=, __hle)
__KCACHE_HALF_COMPARISON(>, __hgt)
__KCACHE_HALF_COMPARISON(>=, __hge)

__KCACHE_DEVICE __half __float2half(float x) { return static_cast<_Float16>(x); }
__KCACHE_DEVICE __half __float2half_rn(float x) { return static_cast<_Float16>(x); }
__KCACHE_DEVICE __half __double2half(double x) { return static_cast<_Float16>(x); }
__KCACHE_DEVICE float __half2float(__half x) { return x.__value; }
__KCACHE_DEVICE __half __int2half_rn(int x) { return static_cast<_Float16>(x); }
__KCACHE_DEVICE int __half2int_rz(__half x) { return static_cast<int>(x.__value); }
__KCACHE_DEVICE int __half2int_rn(__half x) { return static_cast<int>(__builtin_rintf(x.__value)); }
__KCACHE_DEVICE unsigned short __half_as_ushort(__half x) {
  return __builtin_bit_cast(unsigned short, x.__value);
}
__KCACHE_DEVICE short __half_as_short(__half x) { return __builtin_bit_cast(short, x.__value); }
__KCACHE_DEVICE __half __ushort_as_half(unsigned short x) {
  return __builtin_bit_cast(_Float16, x);
}
__KCACHE_DEVICE __half __short_as_half(short x) { return __builtin_bit_cast(_Float16, x); }

__KCACHE_DEVICE __half2 make_half2(__half x, __half y) { return {x, y}; }
__KCACHE_DEVICE __half2 __halves2half2(__half x, __half y) { return {x, y}; }
__KCACHE_DEVICE __half2 __half2half2(__half x) { return {x, x}; }
__KCACHE_DEVICE __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
__KCACHE_DEVICE __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
__KCACHE_DEVICE __half2 __float22half2_rn(float2 x) { return {__half(x.x), __half(x.y)}; }
__KCACHE_DEVICE float2 __half22float2(__half2 x) {
  return {__half2float(x.x), __half2float(x.y)};
}
__KCACHE_DEVICE __half __low2half(__half2 x) { return x.x; }
__KCACHE_DEVICE __half __high2half(__half2 x) { return x.y; }
__KCACHE_DEVICE float __low2float(__half2 x) { return __half2float(x.x); }
__KCACHE_DEVICE float __high2float(__half2 x) { return __half2float(x.y); }
__KCACHE_DEVICE __half2 __low2half2(__half2 x) { return {x.x, x.x}; }
__KCACHE_DEVICE __half2 __high2half2(__half2 x) { return {x.y, x.y}; }
__KCACHE_DEVICE __half2 __lowhigh2highlow(__half2 x) { return {x.y, x.x}; }

__KCACHE_DEVICE __half __hadd(__half a, __half b) { return a + b; }
__KCACHE_DEVICE __half __hsub(__half a, __half b) { return a - b; }
__KCACHE_DEVICE __half __hmul(__half a, __half b) { return a * b; }
__KCACHE_DEVICE __half __hdiv(__half a, __half b) { return a / b; }
__KCACHE_DEVICE __half __hneg(__half a) { return -a; }
__KCACHE_DEVICE __half __habs(__half a) { return __builtin_fabsf16(a.__value); }
__KCACHE_DEVICE __half __hfma(__half a, __half b, __half c) {
  return __builtin_fmaf16(a.__value, b.__value, c.__value);
}
__KCACHE_DEVICE __half __hmax(__half a, __half b) {
  return __builtin_fmaxf16(a.__value, b.__value);
}
__KCACHE_DEVICE __half __hmin(__half a, __half b) {
  return __builtin_fminf16(a.__value, b.__value);
}
__KCACHE_DEVICE bool __hisnan(__half a) { return a.__value != a.__value; }
__KCACHE_DEVICE bool __hisinf(__half a) { return __builtin_isinf(a.__value); }
__KCACHE_DEVICE __half hsqrt(__half a) { return __builtin_sqrtf16(a.__value); }
__KCACHE_DEVICE __half hrsqrt(__half a) { return __half(1.0f / __builtin_sqrtf(a.__value)); }
__KCACHE_DEVICE __half hrcp(__half a) { return __half(1.0f / static_cast<float>(a.__value)); }
__KCACHE_DEVICE __half hexp(__half a) { return __half(__builtin_expf(a.__value)); }
__KCACHE_DEVICE __half hexp2(__half a) { return __half(__builtin_exp2f(a.__value)); }
__KCACHE_DEVICE __half hlog(__half a) { return __half(__builtin_logf(a.__value)); }
__KCACHE_DEVICE __half hlog2(__half a) { return __half(__builtin_log2f(a.__value)); }
__KCACHE_DEVICE __half hceil(__half a) { return __builtin_ceilf16(a.__value); }
__KCACHE_DEVICE __half hfloor(__half a) { return __builtin_floorf16(a.__value); }
__KCACHE_DEVICE __half hrint(__half a) { return __builtin_rintf16(a.__value); }
__KCACHE_DEVICE __half htrunc(__half a) { return __builtin_truncf16(a.__value); }

__KCACHE_DEVICE __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
__KCACHE_DEVICE __half2 __hsub2(__half2 a, __half2 b) { return a - b; }
__KCACHE_DEVICE __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
__KCACHE_DEVICE __half2 __h2div(__half2 a, __half2 b) { return a / b; }
__KCACHE_DEVICE __half2 __hneg2(__half2 a) { return -a; }
__KCACHE_DEVICE __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
__KCACHE_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
__KCACHE_DEVICE __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
__KCACHE_DEVICE __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
__KCACHE_DEVICE __half2 h2sqrt(__half2 a) { return {hsqrt(a.x), hsqrt(a.y)}; }
__KCACHE_DEVICE __half2 h2exp(__half2 a) { return {hexp(a.x), hexp(a.y)}; }
__KCACHE_DEVICE __half2 h2log(__half2 a) { return {hlog(a.x), hlog(a.y)}; }
__KCACHE_DEVICE __half2 h2rcp(__half2 a) { return {hrcp(a.x), hrcp(a.y)}; }

#undef __KCACHE_HALF_OPERATOR
#undef __KCACHE_HALF_COMPARISON
