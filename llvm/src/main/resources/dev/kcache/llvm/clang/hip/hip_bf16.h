// SPDX-License-Identifier: Apache-2.0
//
// __hip_bfloat16: the upper half of a float. It is computed with as float and rounded to the nearest
// once, ties to even, which is the correctly rounded result of one operation.
#pragma once

#include <hip/hip_runtime.h>
#include <kcache/halves.h>

struct __hip_bfloat16_raw {
  unsigned short x;
};

struct alignas(4) __hip_bfloat162_raw {
  unsigned short x, y;
};

struct __hip_bfloat16 {
  unsigned short __bits;

  __hip_bfloat16() = default;
  __device__ constexpr __hip_bfloat16(float value) : __bits(__round(value)) {}
  __device__ constexpr __hip_bfloat16(double value) : __bits(__round(__odd(value))) {}
  __device__ constexpr __hip_bfloat16(int value) : __bits(__round(__odd(value))) {}
  __device__ constexpr __hip_bfloat16(unsigned value) : __bits(__round(__odd(value))) {}
  __device__ constexpr __hip_bfloat16(__hip_bfloat16_raw raw) : __bits(raw.x) {}
  __device__ constexpr operator float() const { return __number(); }
  __device__ constexpr operator __hip_bfloat16_raw() const { return {__bits}; }

  __device__ constexpr float __number() const {
    return __builtin_bit_cast(float, static_cast<unsigned>(__bits) << 16);
  }
  __KCACHE_DEVICE __hip_bfloat16 __of(float value) { return __of_bits(__round(value)); }
  __KCACHE_DEVICE __hip_bfloat16 __of_truth(int holds) { return holds; }
  __KCACHE_DEVICE __hip_bfloat16 __of_bits(int bits) {
    return __builtin_bit_cast(__hip_bfloat16, static_cast<unsigned short>(bits));
  }

  // A NaN stays one, and becomes quiet.
  static __device__ constexpr unsigned short __round(float value) {
    const unsigned whole = __builtin_bit_cast(unsigned, value);
    return value != value ? whole >> 16 | 0x40 : (whole + 0x7fff + (whole >> 16 & 1)) >> 16;
  }

  // A float that is rounded to what the double would be: what it lacks of it shows in its last bit.
  static __device__ constexpr float __odd(double value) {
    const float nearest = static_cast<float>(value);
    if (nearest == value || value != value) {
      return nearest;
    }
    const unsigned whole = __builtin_bit_cast(unsigned, nearest);
    const bool beyond = (nearest > value) == (value > 0);
    return __builtin_bit_cast(float, (beyond ? whole - 1 : whole) | 1);
  }
};

struct alignas(4) __hip_bfloat162 {
  __hip_bfloat16 x, y;

  __hip_bfloat162() = default;
  __device__ constexpr __hip_bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) : x(x), y(y) {}
  __device__ constexpr __hip_bfloat162(__hip_bfloat162_raw raw)
      : x(__hip_bfloat16_raw{raw.x}), y(__hip_bfloat16_raw{raw.y}) {}
  __device__ constexpr operator __hip_bfloat162_raw() const { return {x.__bits, y.__bits}; }

  __KCACHE_DEVICE __hip_bfloat162 __of(float x, float y) {
    return {__hip_bfloat16::__of(x), __hip_bfloat16::__of(y)};
  }
};

__KCACHE_DEVICE __hip_bfloat16 __float2bfloat16(float x) { return __hip_bfloat16::__of(x); }
__KCACHE_DEVICE __hip_bfloat16 __double2bfloat16(double x) { return x; }
__KCACHE_DEVICE float __bfloat162float(__hip_bfloat16 x) { return x.__number(); }
__KCACHE_DEVICE __hip_bfloat16 __hfma(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c) {
  return __hip_bfloat16::__of(__builtin_fmaf(a.__number(), b.__number(), c.__number()));
}
__KCACHE_DEVICE __hip_bfloat16 __hneg(__hip_bfloat16 x) {
  return __hip_bfloat16::__of_bits(x.__bits ^ 0x8000);
}
__KCACHE_DEVICE __hip_bfloat16 __habs(__hip_bfloat16 x) {
  return __hip_bfloat16::__of_bits(x.__bits & 0x7fff);
}
__KCACHE_DEVICE __hip_bfloat16 __hmax(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __hip_bfloat16::__of(fmaxf(a.__number(), b.__number()));
}
__KCACHE_DEVICE __hip_bfloat16 __hmin(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __hip_bfloat16::__of(fminf(a.__number(), b.__number()));
}
__KCACHE_DEVICE int __hisinf(__hip_bfloat16 a) { return __builtin_isinf(a.__number()); }
__KCACHE_HALVES(__hip_bfloat16, __hip_bfloat162, __number())

__KCACHE_DEVICE unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) { return x.__bits; }
__KCACHE_DEVICE short __bfloat16_as_short(__hip_bfloat16 x) { return static_cast<short>(x.__bits); }
__KCACHE_DEVICE __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) {
  return __hip_bfloat16::__of_bits(x);
}
__KCACHE_DEVICE __hip_bfloat16 __short_as_bfloat16(short x) { return __hip_bfloat16::__of_bits(x); }

__KCACHE_DEVICE __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) {
  return {__KCACHE_COPY(x), __KCACHE_COPY(y)};
}
__KCACHE_DEVICE __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 x) {
  return {__KCACHE_COPY(x), __KCACHE_COPY(x)};
}
__KCACHE_DEVICE __hip_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return __hip_bfloat162::__of(x, y);
}
__KCACHE_DEVICE __hip_bfloat162 __float22bfloat162_rn(float2 x) {
  return __hip_bfloat162::__of(x.x, x.y);
}
__KCACHE_DEVICE float2 __bfloat1622float2(__hip_bfloat162 x) {
  return {x.x.__number(), x.y.__number()};
}
__KCACHE_DEVICE __hip_bfloat16 __low2bfloat16(__hip_bfloat162 x) { return __KCACHE_COPY(x.x); }
__KCACHE_DEVICE __hip_bfloat16 __high2bfloat16(__hip_bfloat162 x) { return __KCACHE_COPY(x.y); }
__KCACHE_DEVICE float __low2float(__hip_bfloat162 x) { return x.x.__number(); }
__KCACHE_DEVICE float __high2float(__hip_bfloat162 x) { return x.y.__number(); }
__KCACHE_DEVICE __hip_bfloat162 __low2bfloat162(__hip_bfloat162 x) {
  return {__KCACHE_COPY(x.x), __KCACHE_COPY(x.x)};
}
__KCACHE_DEVICE __hip_bfloat162 __high2bfloat162(__hip_bfloat162 x) {
  return {__KCACHE_COPY(x.y), __KCACHE_COPY(x.y)};
}
__KCACHE_DEVICE __hip_bfloat162 __lows2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) {
  return {__KCACHE_COPY(a.x), __KCACHE_COPY(b.x)};
}
__KCACHE_DEVICE __hip_bfloat162 __highs2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) {
  return {__KCACHE_COPY(a.y), __KCACHE_COPY(b.y)};
}
__KCACHE_DEVICE __hip_bfloat162 __lowhigh2highlow(__hip_bfloat162 x) {
  return {__KCACHE_COPY(x.y), __KCACHE_COPY(x.x)};
}

#define HIPRT_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define HIPRT_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define HIPRT_MIN_DENORM_BF16 __ushort_as_bfloat16(1)
#define HIPRT_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define HIPRT_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define HIPRT_ZERO_BF16 __ushort_as_bfloat16(0)
#define HIPRT_ONE_BF16 __ushort_as_bfloat16(0x3f80)

__KCACHE_DEVICE __hip_bfloat162 unsafeAtomicAdd(__hip_bfloat162* address, __hip_bfloat162 value) {
  unsigned* word = reinterpret_cast<unsigned*>(address);
  unsigned old = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  unsigned sum;
  do {
    sum = __builtin_bit_cast(unsigned, __hadd2(__builtin_bit_cast(__hip_bfloat162, old), __KCACHE_COPY(value)));
  } while (!__hip_atomic_compare_exchange_weak(word, &old, sum, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT));
  return __builtin_bit_cast(__hip_bfloat162, old);
}
