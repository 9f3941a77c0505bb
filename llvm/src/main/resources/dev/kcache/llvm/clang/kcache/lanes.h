// SPDX-License-Identifier: Apache-2.0
//
// AMD's instructions between the lanes of a wave, and which part of the processor a wave runs on.
#pragma once

#include <kcache/language.h>

#ifdef __NVPTX__

__KCACHE_DEVICE unsigned __smid() { return __nvvm_read_ptx_sreg_smid(); }

#else

// How many lanes below one's own a mask has, of the first 32 and of the others, added to a count.
__KCACHE_DEVICE unsigned __mbcnt_lo(unsigned mask, unsigned count) {
  return __builtin_amdgcn_mbcnt_lo(mask, count);
}
__KCACHE_DEVICE unsigned __mbcnt_hi(unsigned mask, unsigned count) {
  return __builtin_amdgcn_mbcnt_hi(mask, count);
}

// The index is that of a lane, times four.
__KCACHE_DEVICE unsigned __hip_ds_bpermute(int index, unsigned value) {
  return static_cast<unsigned>(__builtin_amdgcn_ds_bpermute(index, static_cast<int>(value)));
}
__KCACHE_DEVICE float __hip_ds_bpermutef(int index, float value) {
  return __builtin_bit_cast(float, __hip_ds_bpermute(index, __builtin_bit_cast(unsigned, value)));
}
__KCACHE_DEVICE unsigned __hip_ds_permute(int index, unsigned value) {
  return static_cast<unsigned>(__builtin_amdgcn_ds_permute(index, static_cast<int>(value)));
}
__KCACHE_DEVICE float __hip_ds_permutef(int index, float value) {
  return __builtin_bit_cast(float, __hip_ds_permute(index, __builtin_bit_cast(unsigned, value)));
}

template <int pattern>
__KCACHE_DEVICE unsigned __hip_ds_swizzle_N(unsigned value) {
  return static_cast<unsigned>(__builtin_amdgcn_ds_swizzle(static_cast<int>(value), pattern));
}
template <int pattern>
__KCACHE_DEVICE float __hip_ds_swizzlef_N(float value) {
  return __builtin_bit_cast(float, __hip_ds_swizzle_N<pattern>(__builtin_bit_cast(unsigned, value)));
}
template <int control, int rows, int banks, bool bound>
__KCACHE_DEVICE int __hip_move_dpp_N(int value) {
  return __builtin_amdgcn_mov_dpp(value, control, rows, banks, bound);
}
#define __hip_ds_swizzle(value, pattern) __hip_ds_swizzle_N<(pattern)>(value)
#define __hip_ds_swizzlef(value, pattern) __hip_ds_swizzlef_N<(pattern)>(value)
#define __hip_move_dpp(value, control, rows, banks, bound) \
  __hip_move_dpp_N<(control), (rows), (banks), (bound)>(value)

// Bits of a register of the hardware (LLVM's "Syntax of AMDGPU Instruction Operands").
#define __KCACHE_REGISTER(number, at, bits) \
  static_cast<unsigned>(__builtin_amdgcn_s_getreg(((bits) - 1) << 11 | (at) << 6 | (number)))

// The compute unit in the lower bits, the shader engine above it; it may change while a kernel runs.
__KCACHE_DEVICE unsigned __smid() {
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#ifdef __GFX10__
  const unsigned engine = __KCACHE_REGISTER(23, 18, 2);
#else
  const unsigned engine = __KCACHE_REGISTER(23, 18, 3);
#endif
  const unsigned array = __KCACHE_REGISTER(23, 16, 1);
  const unsigned processor = __KCACHE_REGISTER(23, 10, 4);
  return (engine << 1 | array) << 4 | processor;
#elif defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
  const unsigned die = __KCACHE_REGISTER(20, 0, 4);
  return (die << 2 | __KCACHE_REGISTER(4, 13, 2)) << 4 | __KCACHE_REGISTER(4, 8, 4);
#elif defined(__gfx908__) || defined(__gfx90a__)
  return __KCACHE_REGISTER(4, 13, 3) << 4 | __KCACHE_REGISTER(4, 8, 4);
#else
  return __KCACHE_REGISTER(4, 13, 2) << 4 | __KCACHE_REGISTER(4, 8, 4);
#endif
}
#undef __KCACHE_REGISTER

#endif
