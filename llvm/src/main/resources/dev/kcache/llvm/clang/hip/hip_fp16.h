// SPDX-License-Identifier: Apache-2.0
//
// __half and __half2 on _Float16, which AMD's processors compute with.
#pragma once

#include <hip/hip_runtime.h>
#include <kcache/halves.h>

struct __half_raw {
  unsigned short x;
};

struct alignas(4) __half2_raw {
  unsigned short x, y;
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

  __KCACHE_DEVICE __half __of(_Float16 value) { return __builtin_bit_cast(__half, value); }
  __KCACHE_DEVICE __half __of_truth(int holds) { return __of(holds); }
};

struct alignas(4) __half2 {
  __half x, y;

  __half2() = default;
  __device__ constexpr __half2(__half x, __half y) : x(x), y(y) {}
  __device__ constexpr __half2(__half x) : x(x), y(x) {}
  __device__ __half2(__half2_raw raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  __device__ operator __half2_raw() const { return {__half_raw(x).x, __half_raw(y).x}; }

  __KCACHE_DEVICE __half2 __of(_Float16 x, _Float16 y) {
    return {__half::__of(x), __half::__of(y)};
  }
};

using half = __half;
using half2 = __half2;

#define __KCACHE_HALF_COMPARISON(op) \
  __KCACHE_DEVICE bool operator op(__half a, __half b) { return a.__value op b.__value; }

__KCACHE_HALF_COMPARISON(==)
__KCACHE_HALF_COMPARISON(!=)
__KCACHE_HALF_COMPARISON(<)
__KCACHE_HALF_COMPARISON(<=)
__KCACHE_HALF_COMPARISON(>)
__KCACHE_HALF_COMPARISON(>=)

__KCACHE_DEVICE __half __hneg(__half a) { return __half::__of(-a.__value); }
__KCACHE_DEVICE __half __habs(__half a) { return __half::__of(__builtin_fabsf16(a.__value)); }
__KCACHE_DEVICE __half __hfma(__half a, __half b, __half c) {
  return __half::__of(__builtin_fmaf16(a.__value, b.__value, c.__value));
}
__KCACHE_DEVICE __half __hmax(__half a, __half b) {
  return __half::__of(__builtin_fmaxf16(a.__value, b.__value));
}
__KCACHE_DEVICE __half __hmin(__half a, __half b) {
  return __half::__of(__builtin_fminf16(a.__value, b.__value));
}
__KCACHE_DEVICE bool __hisinf(__half a) { return __builtin_isinf(float(a.__value)); }
__KCACHE_HALVES(__half, __half2, __value)

// From 0 to 1; what is no number becomes 0.
__KCACHE_DEVICE __half __kcache_saturated(_Float16 x) {
  return __half::__of(__builtin_fminf16(__builtin_fmaxf16(x, 0), 1));
}
__KCACHE_DEVICE __half __hadd_sat(__half a, __half b) {
  return __kcache_saturated(a.__value + b.__value);
}
__KCACHE_DEVICE __half __hsub_sat(__half a, __half b) {
  return __kcache_saturated(a.__value - b.__value);
}
__KCACHE_DEVICE __half __hmul_sat(__half a, __half b) {
  return __kcache_saturated(a.__value * b.__value);
}
__KCACHE_DEVICE __half __hfma_sat(__half a, __half b, __half c) {
  return __kcache_saturated(__builtin_fmaf16(a.__value, b.__value, c.__value));
}
__KCACHE_OF_PAIRS(__half2, __hadd2_sat, __hadd_sat)
__KCACHE_OF_PAIRS(__half2, __hsub2_sat, __hsub_sat)
__KCACHE_OF_PAIRS(__half2, __hmul2_sat, __hmul_sat)
__KCACHE_OF_THREE_PAIRS(__half2, __hfma2_sat, __hfma_sat)

__KCACHE_DEVICE __half __float2half(float x) { return __half::__of(x); }
__KCACHE_DEVICE __half __double2half(double x) { return __half::__of(x); }
__KCACHE_DEVICE float __half2float(__half x) { return x.__value; }

#define __KCACHE_TO_HALF(name, T, exact)                                                        \
  __KCACHE_DEVICE __half __##name##2half_rn(T x) { return __half::__of(exact); }                \
  __KCACHE_DEVICE __half __##name##2half_rz(T x) {                                              \
    return __half::__of(__kcache_to_zero<_Float16>(exact));                                     \
  }                                                                                             \
  __KCACHE_DEVICE __half __##name##2half_rd(T x) {                                              \
    return __half::__of(__kcache_down<_Float16>(exact));                                        \
  }                                                                                             \
  __KCACHE_DEVICE __half __##name##2half_ru(T x) {                                              \
    return __half::__of(__kcache_up<_Float16>(exact));                                          \
  }
#define __KCACHE_TO_HALF_AND_BACK(name, T, exact)                                               \
  __KCACHE_TO_HALF(name, T, exact)                                                              \
  __KCACHE_DEVICE T __half2##name##_rn(__half x) { return static_cast<T>(rintf(x.__value)); }   \
  __KCACHE_DEVICE T __half2##name##_rz(__half x) { return static_cast<T>(x.__value); }          \
  __KCACHE_DEVICE T __half2##name##_rd(__half x) { return static_cast<T>(floorf(x.__value)); }  \
  __KCACHE_DEVICE T __half2##name##_ru(__half x) { return static_cast<T>(ceilf(x.__value)); }

__KCACHE_TO_HALF(float, float, x)
__KCACHE_TO_HALF_AND_BACK(short, short, int(x))
__KCACHE_TO_HALF_AND_BACK(ushort, unsigned short, int(x))
__KCACHE_TO_HALF_AND_BACK(int, int, x)
__KCACHE_TO_HALF_AND_BACK(uint, unsigned, x)
__KCACHE_TO_HALF_AND_BACK(ll, long long, x)
__KCACHE_TO_HALF_AND_BACK(ull, unsigned long long, x)

__KCACHE_DEVICE unsigned short __half_as_ushort(__half x) {
  return __builtin_bit_cast(unsigned short, x.__value);
}
__KCACHE_DEVICE short __half_as_short(__half x) { return __builtin_bit_cast(short, x.__value); }
__KCACHE_DEVICE __half __ushort_as_half(unsigned short x) {
  return __builtin_bit_cast(__half, x);
}
__KCACHE_DEVICE __half __short_as_half(short x) { return __builtin_bit_cast(__half, x); }

__KCACHE_DEVICE __half2 make_half2(__half x, __half y) {
  return {__KCACHE_COPY(x), __KCACHE_COPY(y)};
}
__KCACHE_DEVICE __half2 __halves2half2(__half x, __half y) {
  return {__KCACHE_COPY(x), __KCACHE_COPY(y)};
}
__KCACHE_DEVICE __half2 __half2half2(__half x) { return {__KCACHE_COPY(x), __KCACHE_COPY(x)}; }
__KCACHE_DEVICE __half2 __float2half2_rn(float x) { return __half2::__of(x, x); }
__KCACHE_DEVICE __half2 __floats2half2_rn(float x, float y) { return __half2::__of(x, y); }
__KCACHE_DEVICE __half2 __float22half2_rn(float2 x) { return __half2::__of(x.x, x.y); }
__KCACHE_DEVICE float2 __half22float2(__half2 x) {
  return {x.x.__value, x.y.__value};
}
__KCACHE_DEVICE __half __low2half(__half2 x) { return __KCACHE_COPY(x.x); }
__KCACHE_DEVICE __half __high2half(__half2 x) { return __KCACHE_COPY(x.y); }
__KCACHE_DEVICE float __low2float(__half2 x) { return x.x.__value; }
__KCACHE_DEVICE float __high2float(__half2 x) { return x.y.__value; }
__KCACHE_DEVICE __half2 __low2half2(__half2 x) {
  return {__KCACHE_COPY(x.x), __KCACHE_COPY(x.x)};
}
__KCACHE_DEVICE __half2 __high2half2(__half2 x) {
  return {__KCACHE_COPY(x.y), __KCACHE_COPY(x.y)};
}
__KCACHE_DEVICE __half2 __lowhigh2highlow(__half2 x) {
  return {__KCACHE_COPY(x.y), __KCACHE_COPY(x.x)};
}
__KCACHE_DEVICE __half2 __lows2half2(__half2 a, __half2 b) {
  return {__KCACHE_COPY(a.x), __KCACHE_COPY(b.x)};
}
__KCACHE_DEVICE __half2 __highs2half2(__half2 a, __half2 b) {
  return {__KCACHE_COPY(a.y), __KCACHE_COPY(b.y)};
}

#define HIPRT_INF_FP16 __ushort_as_half(0x7c00)
#define HIPRT_NAN_FP16 __ushort_as_half(0x7fff)
#define HIPRT_MIN_DENORM_FP16 __ushort_as_half(1)
#define HIPRT_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define HIPRT_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define HIPRT_ZERO_FP16 __ushort_as_half(0)
#define HIPRT_ONE_FP16 __ushort_as_half(0x3c00)

#undef __KCACHE_HALF_COMPARISON
#undef __KCACHE_TO_HALF
#undef __KCACHE_TO_HALF_AND_BACK
