// SPDX-License-Identifier: Apache-2.0
//
// Stands in for HIP's own header, so that a C++ compiler builds the shipped kernels for the host.
// The threads of a launch run one after another, so that atomic operations are plain ones. Integers
// wrap in them, as on a device. There are no operations across a wavefront, and no dynamic shared
// memory.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#define __host__
#define __device__
#define __global__
#define __constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)

// In a section of its own, which launch.cpp fills with rubbish before a block runs; "used", as else a
// compiler that sees no such write would expect a 0.
#define __shared__ static __attribute__((used, section("kcache_shared")))

struct uint3 {
  unsigned x, y, z;
};

inline uint3 gridDim, blockDim, blockIdx, threadIdx;

constexpr int warpSize = 64;

// Returns once all threads of the block have called it, at the same place.
void __syncthreads(int line = __builtin_LINE(), const char* file = __builtin_FILE())
    __attribute__((convergent, noinline));

inline void __threadfence() {}
inline void __threadfence_block() {}

namespace kcache::host {

template <class To, class From>
To bits(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

// A second parameter from which T is not deduced, so that any number converts to it.
template <class T>
struct Same {
  using type = T;
};
template <class T>
using same = typename Same<T>::type;

template <class T>
T wrapping_sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    T result;
    (void)__builtin_add_overflow(a, b, &result);
    return result;
  } else {
    return a + b;
  }
}

template <class T>
T replace(T* at, T value) {
  const T old = *at;
  *at = value;
  return old;
}

}  // namespace kcache::host

inline unsigned __float_as_uint(float value) { return kcache::host::bits<unsigned>(value); }
inline int __float_as_int(float value) { return kcache::host::bits<int>(value); }
inline float __uint_as_float(unsigned value) { return kcache::host::bits<float>(value); }
inline float __int_as_float(int value) { return kcache::host::bits<float>(value); }
inline long long __double_as_longlong(double value) { return kcache::host::bits<long long>(value); }
inline double __longlong_as_double(long long value) { return kcache::host::bits<double>(value); }

inline int __clz(int value) { return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value)); }
inline int __clzll(long long value) {
  return value == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(value));
}
inline int __ffs(int value) { return __builtin_ffs(value); }
inline int __ffsll(long long value) { return __builtin_ffsll(value); }
inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
inline unsigned __brev(unsigned value) { return __builtin_bitreverse32(value); }

// The upper halves of products.
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<int64_t>(a) * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}

// All of them give what was there before.
template <class T>
T atomicAdd(T* at, kcache::host::same<T> value) {
  return kcache::host::replace(at, kcache::host::wrapping_sum(*at, value));
}
template <class T>
T atomicMin(T* at, kcache::host::same<T> value) {
  return kcache::host::replace(at, value < *at ? value : *at);
}
template <class T>
T atomicMax(T* at, kcache::host::same<T> value) {
  return kcache::host::replace(at, value > *at ? value : *at);
}
template <class T>
T atomicAnd(T* at, kcache::host::same<T> value) {
  return kcache::host::replace(at, static_cast<T>(*at & value));
}
template <class T>
T atomicOr(T* at, kcache::host::same<T> value) {
  return kcache::host::replace(at, static_cast<T>(*at | value));
}
template <class T>
T atomicXor(T* at, kcache::host::same<T> value) {
  return kcache::host::replace(at, static_cast<T>(*at ^ value));
}
template <class T>
T atomicExch(T* at, kcache::host::same<T> value) {
  return kcache::host::replace(at, value);
}
template <class T>
T atomicCAS(T* at, kcache::host::same<T> expected, kcache::host::same<T> value) {
  return kcache::host::replace(at, *at == expected ? value : *at);
}
