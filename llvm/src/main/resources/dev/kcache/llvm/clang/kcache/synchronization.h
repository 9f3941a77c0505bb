// SPDX-License-Identifier: Apache-2.0
//
// Barriers, fences and clocks.
#pragma once

#include <kcache/language.h>

#ifdef __NVPTX__

__KCACHE_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
__KCACHE_DEVICE void __threadfence() { __nvvm_membar_gl(); }
__KCACHE_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

// __syncthreads is clang's own.
static __device__ __attribute__((always_inline, convergent)) inline void __syncwarp(
    unsigned long long mask = 0xffffffff) {
  __nvvm_bar_warp_sync(static_cast<unsigned>(mask));
}

static __device__ __attribute__((always_inline, convergent)) inline int __syncthreads_count(int predicate) {
  return __nvvm_bar0_popc(predicate);
}
static __device__ __attribute__((always_inline, convergent)) inline int __syncthreads_and(int predicate) {
  return __nvvm_bar0_and(predicate);
}
static __device__ __attribute__((always_inline, convergent)) inline int __syncthreads_or(int predicate) {
  return __nvvm_bar0_or(predicate);
}

__KCACHE_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
__KCACHE_DEVICE long long clock() { return __nvvm_read_ptx_sreg_clock64(); }
__KCACHE_DEVICE long long wall_clock64() { return __nvvm_read_ptx_sreg_globaltimer(); }

#else

__KCACHE_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
__KCACHE_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
__KCACHE_DEVICE void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

// All that a thread of the block wrote before is read by all of them after it.
static __device__ __attribute__((always_inline, convergent)) inline void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Returns for how many threads of the block it is true. The last barrier keeps the next call from
// beginning to count before all have read.
static __device__ __attribute__((always_inline, convergent)) inline int __syncthreads_count(int predicate) {
  __shared__ int count;
  const unsigned thread = __builtin_amdgcn_workitem_id_x() | __builtin_amdgcn_workitem_id_y() |
                          __builtin_amdgcn_workitem_id_z();
  if (thread == 0) count = 0;
  __syncthreads();
  if (predicate) {
    __hip_atomic_fetch_add(&count, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  }
  __syncthreads();
  const int all = count;
  __syncthreads();
  return all;
}
static __device__ __attribute__((always_inline, convergent)) inline int __syncthreads_and(int predicate) {
  return __syncthreads_count(!predicate) == 0;
}
static __device__ __attribute__((always_inline, convergent)) inline int __syncthreads_or(int predicate) {
  return __syncthreads_count(predicate) != 0;
}

// A wave runs in step: only what it reads and writes is put in order.
static __device__ __attribute__((always_inline, convergent)) inline void __syncwarp() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

__KCACHE_DEVICE long long clock64() { return __builtin_readcyclecounter(); }
__KCACHE_DEVICE long long clock() { return __builtin_readcyclecounter(); }
__KCACHE_DEVICE long long wall_clock64() { return __builtin_readsteadycounter(); }

#endif

__KCACHE_DEVICE long long __clock64() { return clock64(); }
__KCACHE_DEVICE long long __clock() { return clock64(); }

__KCACHE_DEVICE void abort() { __builtin_trap(); }
__KCACHE_DEVICE void __trap() { __builtin_trap(); }
