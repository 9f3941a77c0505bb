// SPDX-License-Identifier: Apache-2.0
//
// HIP's dot products of small integers, with a sum that may stay within the limits of its type, and
// arithmetic of four bytes.
#pragma once

#include <kcache/language.h>
#include <kcache/vector_types.h>

__KCACHE_DEVICE int __kcache_sum(long long sum, bool saturate) {
  const long long least = -__INT_MAX__ - 1ll;
  if (!saturate) return static_cast<int>(static_cast<unsigned>(sum));
  return static_cast<int>(sum > __INT_MAX__ ? __INT_MAX__ : sum < least ? least : sum);
}
__KCACHE_DEVICE unsigned __kcache_sum(unsigned long long sum, bool saturate) {
  return saturate && sum > ~0u ? ~0u : static_cast<unsigned>(sum);
}

#define __KCACHE_DOT(V, n, Sum, Wide)                                          \
  __KCACHE_DEVICE Sum amd_mixed_dot(V a, V b, Sum c, bool saturate) {          \
    Wide sum = c;                                                              \
    for (int i = 0; i < n; ++i) {                                              \
      sum += static_cast<Wide>(a.data[i]) * b.data[i];                         \
    }                                                                          \
    return __kcache_sum(sum, saturate);                                        \
  }
// Of eight integers of four bits. The shifts to the left and back keep the sign.
#define __KCACHE_DOT8(T, Wide)                                                 \
  __KCACHE_DEVICE T amd_mixed_dot(T a, T b, T c, bool saturate) {              \
    Wide sum = c;                                                              \
    for (int left = 0; left < 32; left += 4) {                                 \
      const T p = static_cast<T>(static_cast<unsigned>(a) << left) >> 28;      \
      const T q = static_cast<T>(static_cast<unsigned>(b) << left) >> 28;      \
      sum += static_cast<Wide>(p) * q;                                         \
    }                                                                          \
    return __kcache_sum(sum, saturate);                                        \
  }

__KCACHE_DOT(char4, 4, int, long long)
__KCACHE_DOT(uchar4, 4, unsigned, unsigned long long)
__KCACHE_DOT(short2, 2, int, long long)
__KCACHE_DOT(ushort2, 2, unsigned, unsigned long long)
__KCACHE_DOT8(int, long long)
__KCACHE_DOT8(unsigned, unsigned long long)

__KCACHE_DEVICE char4 __hip_hc_add8pk(char4 a, char4 b) { return a + b; }
__KCACHE_DEVICE char4 __hip_hc_sub8pk(char4 a, char4 b) { return a - b; }
__KCACHE_DEVICE char4 __hip_hc_mul8pk(char4 a, char4 b) { return a * b; }

#undef __KCACHE_DOT
#undef __KCACHE_DOT8
