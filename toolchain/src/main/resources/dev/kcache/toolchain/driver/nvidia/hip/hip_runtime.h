// SPDX-License-Identifier: Apache-2.0
//
// What nvcc lacks to compile the device code of a .hip file: HIP's names for what CUDA has under
// others. HIP's own header for NVIDIA maps the host's functions too, and follows CUDA's releases.
#pragma once

#include <assert.h>
#include <kcache/hip_names.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// As HIP up to 5.7 calls this platform too.
#define __HIP_PLATFORM_NVCC__ 1

#ifdef __CUDA_ARCH__
#define __HIP_DEVICE_COMPILE__ 1
#endif

inline __device__ unsigned __lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// The functions across a warp that name no lanes: CUDA has them up to compute capability 6 only,
// where all lanes run in step. Here they are of the lanes that run.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
template <class T>
inline __device__ T __shfl(T value, int lane, int width = warpSize) {
  return __shfl_sync(__activemask(), value, lane, width);
}

template <class T>
inline __device__ T __shfl_up(T value, unsigned delta, int width = warpSize) {
  return __shfl_up_sync(__activemask(), value, delta, width);
}

template <class T>
inline __device__ T __shfl_down(T value, unsigned delta, int width = warpSize) {
  return __shfl_down_sync(__activemask(), value, delta, width);
}

template <class T>
inline __device__ T __shfl_xor(T value, int mask, int width = warpSize) {
  return __shfl_xor_sync(__activemask(), value, mask, width);
}

inline __device__ int __kcache_any(int predicate) {
  return __any_sync(__activemask(), predicate);
}
inline __device__ int __kcache_all(int predicate) {
  return __all_sync(__activemask(), predicate);
}
// A bit for each lane; HIP's type has room for the 64 of AMD's.
inline __device__ unsigned long long __kcache_ballot(int predicate) {
  return __ballot_sync(__activemask(), predicate);
}
// CUDA still declares functions of these names, for processors that it no longer has, and its own
// headers use the names for other things: so no macros with parameters.
#define __any __kcache_any
#define __all __kcache_all
#define __ballot __kcache_ballot
#endif
