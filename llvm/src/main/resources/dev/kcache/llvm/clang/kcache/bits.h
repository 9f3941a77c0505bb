// SPDX-License-Identifier: Apache-2.0
//
// Functions of bits and integers, and the bits of numbers.
#pragma once

#include <kcache/language.h>
#include <stddef.h>

__KCACHE_DEVICE unsigned __popc(unsigned x) { return __builtin_popcount(x); }
__KCACHE_DEVICE unsigned __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__KCACHE_DEVICE int __clz(int x) { return __builtin_clzg(unsigned(x), 32); }
__KCACHE_DEVICE int __clzll(long long x) {
  return __builtin_clzg(static_cast<unsigned long long>(x), 64);
}
// The place of the lowest bit from 1 on; 0 if none is set. HIP's two for each size are ambiguous to other types.
__KCACHE_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
__KCACHE_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
// From 0 on; the greatest number if none is set.
__KCACHE_DEVICE unsigned __lastbit_u32_u64(unsigned long x) {
  return x == 0 ? ~0u : __builtin_ctzll(x);
}
__KCACHE_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
__KCACHE_DEVICE unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}

__KCACHE_DEVICE int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
__KCACHE_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
__KCACHE_DEVICE unsigned __sad(int a, int b, unsigned c) {
  return (a > b ? unsigned(a) - unsigned(b) : unsigned(b) - unsigned(a)) + c;
}
__KCACHE_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return (a > b ? a - b : b - a) + c;
}
__KCACHE_DEVICE long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
__KCACHE_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
__KCACHE_DEVICE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
__KCACHE_DEVICE int __umul24(unsigned a, unsigned b) {
  return static_cast<int>((a & 0xffffff) * (b & 0xffffff));
}
__KCACHE_DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned which = selector >> 4 * i & 7;
    result |= static_cast<unsigned>(bytes >> 8 * which & 0xff) << 8 * i;
  }
  return result;
}
__KCACHE_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32);
}
__KCACHE_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}

__KCACHE_DEVICE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift > 31 ? low : __funnelshift_l(low, high, shift);
}
__KCACHE_DEVICE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift > 31 ? high : __funnelshift_r(low, high, shift);
}

__KCACHE_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__KCACHE_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__KCACHE_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__KCACHE_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
__KCACHE_DEVICE long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
__KCACHE_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

__KCACHE_DEVICE int __double2hiint(double x) {
  return static_cast<int>(__builtin_bit_cast(long long, x) >> 32);
}
__KCACHE_DEVICE int __double2loint(double x) {
  return static_cast<int>(__builtin_bit_cast(long long, x));
}
__KCACHE_DEVICE double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(
      double, static_cast<long long>(static_cast<unsigned long long>(high) << 32 | static_cast<unsigned>(low)));
}

// How long a cache keeps it is for the compiler to say.
#define __KCACHE_LOAD(name)                       \
  template <class T>                              \
  __KCACHE_DEVICE T name(const T* address) {      \
    return *address;                              \
  }

__KCACHE_LOAD(__ldg)
__KCACHE_LOAD(__ldca)
__KCACHE_LOAD(__ldcg)
__KCACHE_LOAD(__ldcs)

#undef __KCACHE_LOAD

// Averages, downwards and (r) upwards.
__KCACHE_DEVICE int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
__KCACHE_DEVICE int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
__KCACHE_DEVICE unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
__KCACHE_DEVICE unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

// As many bits as count, from the place at on.
#define __KCACHE_BIT_FIELD(T, width)                                                          \
  __KCACHE_DEVICE T __bitextract_u##width(T x, unsigned at, unsigned count) {                 \
    const T mask = (static_cast<T>(1) << count % width) - 1;                                  \
    return x >> at % width & mask;                                                            \
  }                                                                                           \
  __KCACHE_DEVICE T __bitinsert_u##width(T x, T bits, unsigned at, unsigned count) {          \
    const T mask = ((static_cast<T>(1) << count % width) - 1) << at % width;                  \
    return (x & ~mask) | (bits << at % width & mask);                                         \
  }

__KCACHE_BIT_FIELD(unsigned, 32)
__KCACHE_BIT_FIELD(unsigned long, 64)

#undef __KCACHE_BIT_FIELD

// The place of the nth bit that is set, counted from the place at: upwards, downwards where n is negative,
// and that place itself where it is 0. -1 if there are fewer.
#define __KCACHE_FIND_BIT(name, T, width)                                      \
  __KCACHE_DEVICE int name(T mask, unsigned at, int n) {                       \
    if (n == 0) return mask >> at % width & 1 ? static_cast<int>(at) : -1;     \
    const int step = n < 0 ? -1 : 1;                                           \
    int left = n * step;                                                       \
    for (int i = static_cast<int>(at); i >= 0 && i < width; i += step) {       \
      left -= static_cast<int>(mask >> i & 1);                                 \
      if (left == 0) return i;                                                 \
    }                                                                          \
    return -1;                                                                 \
  }

__KCACHE_FIND_BIT(__fns32, unsigned, 32)
__KCACHE_FIND_BIT(__fns64, unsigned long, 64)
__KCACHE_DEVICE int __fns(unsigned mask, unsigned at, int n) { return __fns32(mask, at, n); }

#undef __KCACHE_FIND_BIT
