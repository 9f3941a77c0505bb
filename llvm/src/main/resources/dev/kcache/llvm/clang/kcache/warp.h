// SPDX-License-Identifier: Apache-2.0
//
// What the lanes of a wave tell each other: votes and shuffles, without masks and with them. A mask
// has 64 bits; lanes that it leaves out may not be asked.
#pragma once

#include <kcache/bits.h>
#include <kcache/indices.h>
#include <kcache/language.h>

__KCACHE_DEVICE unsigned long long __ballot(int predicate) {
#if defined(__NVPTX__)
  return __nvvm_vote_ballot_sync(__nvvm_activemask(), predicate != 0);
#elif __AMDGCN_WAVEFRONT_SIZE__ == 32
  return __builtin_amdgcn_ballot_w32(predicate != 0);
#else
  return __builtin_amdgcn_ballot_w64(predicate != 0);
#endif
}

__KCACHE_DEVICE unsigned long long __ballot64(int predicate) { return __ballot(predicate); }
__KCACHE_DEVICE unsigned long long __activemask() { return __ballot(1); }
__KCACHE_DEVICE int __any(int predicate) { return __ballot(predicate) != 0; }
__KCACHE_DEVICE int __all(int predicate) { return __ballot(predicate == 0) == 0; }

#ifdef __NVPTX__
// The lanes of a mask may be apart: they wait for each other here.
__KCACHE_DEVICE unsigned long long __ballot_sync(unsigned long long mask, int predicate) {
  return __nvvm_vote_ballot_sync(static_cast<unsigned>(mask), predicate != 0);
}
__KCACHE_DEVICE int __all_sync(unsigned long long mask, int predicate) {
  return __nvvm_vote_all_sync(static_cast<unsigned>(mask), predicate != 0);
}
#else
__KCACHE_DEVICE unsigned long long __ballot_sync(unsigned long long mask, int predicate) {
  return __ballot(predicate) & mask;
}
__KCACHE_DEVICE int __all_sync(unsigned long long mask, int predicate) {
  return __ballot_sync(mask, predicate) == (__activemask() & mask);
}
#endif
__KCACHE_DEVICE int __any_sync(unsigned long long mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}

// The lanes that run, of those beside one's own.
__KCACHE_DEVICE unsigned long __lanemask_eq() { return 1ul << __lane_id(); }
__KCACHE_DEVICE unsigned long __lanemask_lt() { return (__lanemask_eq() - 1) & __activemask(); }
__KCACHE_DEVICE unsigned long __lanemask_gt() { return -(__lanemask_eq() << 1) & __activemask(); }

// The lanes of a mask that have the same bits as one's own: a vote for each bit.
template <class T>
__KCACHE_DEVICE unsigned long long __match_any_sync(unsigned long long mask, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values of 32 or 64 bits are compared");
  unsigned words[sizeof(T) / 4];
  __builtin_memcpy(words, &value, sizeof(T));
  unsigned long long same = __ballot_sync(mask, 1);
#pragma unroll
  for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit) {
    const bool set = words[bit / 32] >> bit % 32 & 1;
    const unsigned long long ones = __ballot_sync(mask, set);
    same &= set ? ones : ~ones;
  }
  return same;
}
// All of them if they have, else none.
template <class T>
__KCACHE_DEVICE unsigned long long __match_all_sync(unsigned long long mask, T value, int* all) {
  const unsigned long long asked = __ballot_sync(mask, 1);
  *all = __all_sync(mask, __match_any_sync(mask, value) == asked);
  return *all ? asked : 0;
}
template <class T>
__KCACHE_DEVICE unsigned long long __match_any(T value) {
  return __match_any_sync(__activemask(), value);
}
template <class T>
__KCACHE_DEVICE unsigned long long __match_all(T value, int* all) {
  return __match_all_sync(__activemask(), value, all);
}

// Any value goes over in words of four bytes; the last one may be a part.
template <class T>
__KCACHE_DEVICE T __kcache_read_lane(unsigned long long mask, T value, unsigned lane) {
  constexpr unsigned count = (sizeof(T) + 3) / 4;
  int words[count] = {};
  __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
  for (unsigned i = 0; i < count; ++i) {
#ifdef __NVPTX__
    words[i] = __nvvm_shfl_sync_idx_i32(static_cast<unsigned>(mask), words[i], lane, 31);
#else
    words[i] = __builtin_amdgcn_ds_bpermute(static_cast<int>(lane) << 2, words[i]);
#endif
  }
  T result;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}

// AMD's lanes run in step, and its mask is not looked at.
template <class T>
__KCACHE_DEVICE T __shfl_sync(unsigned long long mask, T value, int lane, int width = warpSize) {
  const unsigned self = __lane_id();
  const unsigned first = self & ~(width - 1u);
  return __kcache_read_lane(mask, value, first + (lane & (width - 1u)));
}

template <class T>
__KCACHE_DEVICE T __shfl_up_sync(unsigned long long mask, T value, unsigned delta,
                                 int width = warpSize) {
  const unsigned self = __lane_id();
  const unsigned place = self & (width - 1u);
  return __kcache_read_lane(mask, value, delta > place ? self : self - delta);
}

template <class T>
__KCACHE_DEVICE T __shfl_down_sync(unsigned long long mask, T value, unsigned delta,
                                   int width = warpSize) {
  const unsigned self = __lane_id();
  const unsigned place = self & (width - 1u);
  return __kcache_read_lane(mask, value, place + delta >= unsigned(width) ? self : self + delta);
}

template <class T>
__KCACHE_DEVICE T __shfl_xor_sync(unsigned long long mask, T value, int lanes,
                                  int width = warpSize) {
  const unsigned self = __lane_id();
  const unsigned other = self ^ unsigned(lanes);
  const unsigned end = (self & ~(width - 1u)) + width;
  return __kcache_read_lane(mask, value, other >= end ? self : other);
}

template <class T>
__KCACHE_DEVICE T __shfl(T value, int lane, int width = warpSize) {
  return __shfl_sync(__activemask(), value, lane, width);
}
template <class T>
__KCACHE_DEVICE T __shfl_up(T value, unsigned delta, int width = warpSize) {
  return __shfl_up_sync(__activemask(), value, delta, width);
}
template <class T>
__KCACHE_DEVICE T __shfl_down(T value, unsigned delta, int width = warpSize) {
  return __shfl_down_sync(__activemask(), value, delta, width);
}
template <class T>
__KCACHE_DEVICE T __shfl_xor(T value, int lanes, int width = warpSize) {
  return __shfl_xor_sync(__activemask(), value, lanes, width);
}
