// SPDX-License-Identifier: Apache-2.0
//
// threadIdx, blockIdx, blockDim, gridDim and warpSize. They are objects without storage, whose
// members are read from registers: on AMD's processors also from what the dispatch packet says, and
// from the implicit arguments (LLVM's "User Guide for AMDGPU Backend").
#pragma once

#include <kcache/language.h>
#include <kcache/vector_types.h>

#define __KCACHE_INDEX(Type, Vector, object, read)                        \
  struct Type {                                                           \
    __declspec(property(get = __x)) unsigned x;                           \
    __declspec(property(get = __y)) unsigned y;                           \
    __declspec(property(get = __z)) unsigned z;                           \
    static __device__ inline unsigned __x() { return read(x); }           \
    static __device__ inline unsigned __y() { return read(y); }           \
    static __device__ inline unsigned __z() { return read(z); }           \
    __device__ operator Vector() const { return Vector(__x(), __y(), __z()); } \
  };                                                                      \
  extern const __device__ __attribute__((weak)) Type object;

#ifdef __NVPTX__
#define __KCACHE_THREAD(d) __nvvm_read_ptx_sreg_tid_##d()
#define __KCACHE_BLOCK(d) __nvvm_read_ptx_sreg_ctaid_##d()
#define __KCACHE_SIZE(d) __nvvm_read_ptx_sreg_ntid_##d()
#define __KCACHE_BLOCKS(d) __nvvm_read_ptx_sreg_nctaid_##d()
#define __KCACHE_WARP_SIZE 32
#else
#define __KCACHE_THREAD(d) __builtin_amdgcn_workitem_id_##d()
#define __KCACHE_BLOCK(d) __builtin_amdgcn_workgroup_id_##d()
#define __KCACHE_SIZE(d) __builtin_amdgcn_workgroup_size_##d()
// The grid's size is in threads, up to the last that fit 32 bits; its last block may be a part of one.
#define __KCACHE_BLOCKS(d)                                   \
  (__builtin_amdgcn_grid_size_##d() / __KCACHE_SIZE(d) +     \
   (__builtin_amdgcn_grid_size_##d() % __KCACHE_SIZE(d) != 0))
#define __KCACHE_WARP_SIZE __builtin_amdgcn_wavefrontsize()
#endif

__KCACHE_INDEX(__kcache_thread_index, dim3, threadIdx, __KCACHE_THREAD)
__KCACHE_INDEX(__kcache_block_index, dim3, blockIdx, __KCACHE_BLOCK)
__KCACHE_INDEX(__kcache_block_size, dim3, blockDim, __KCACHE_SIZE)
__KCACHE_INDEX(__kcache_grid_size, dim3, gridDim, __KCACHE_BLOCKS)

struct __kcache_warp_size {
  __device__ inline operator int() const { return __KCACHE_WARP_SIZE; }
};
extern const __device__ __attribute__((weak)) __kcache_warp_size warpSize;

__KCACHE_DEVICE unsigned __lane_id() {
#ifdef __NVPTX__
  return __nvvm_read_ptx_sreg_laneid();
#else
  // In a wave of 32 the upper half counts none.
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
#endif
}

#undef __KCACHE_INDEX
#undef __KCACHE_THREAD
#undef __KCACHE_BLOCK
#undef __KCACHE_SIZE
#undef __KCACHE_BLOCKS
#undef __KCACHE_WARP_SIZE
