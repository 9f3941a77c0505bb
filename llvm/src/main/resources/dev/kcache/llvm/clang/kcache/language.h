// SPDX-License-Identifier: Apache-2.0
//
// HIP's words for what clang calls attributes.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))

#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))

// The most threads of a block, and, if given, for AMD the fewest waves of a SIMD unit, for NVIDIA the
// fewest blocks of a multiprocessor.
#ifdef __NVPTX__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
// Clang does not look at the attribute of that name here.
#define __KCACHE_THREADS(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __KCACHE_THREADS_AND_WAVES(threads, waves) \
  __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(waves)))
#define __KCACHE_THIRD(a, b, third, ...) third
#define __launch_bounds__(...) \
  __KCACHE_THIRD(__VA_ARGS__, __KCACHE_THREADS_AND_WAVES, __KCACHE_THREADS, )(__VA_ARGS__)
#endif

#define __HIPCC__ 1
// Each platform has the name that HIP up to 5.7 gives it, too.
#ifdef __NVPTX__
#define __HIP_PLATFORM_NVIDIA__ 1
#define __HIP_PLATFORM_NVCC__ 1
#else
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1
#endif
#define __HIP_DEVICE_COMPILE__ 1
#define __HIP_ARCH_HAS_GLOBAL_INT32_ATOMICS__ (1)
#define __HIP_ARCH_HAS_GLOBAL_FLOAT_ATOMIC_EXCH__ (1)
#define __HIP_ARCH_HAS_SHARED_INT32_ATOMICS__ (1)
#define __HIP_ARCH_HAS_SHARED_FLOAT_ATOMIC_EXCH__ (1)
#define __HIP_ARCH_HAS_FLOAT_ATOMIC_ADD__ (1)
#define __HIP_ARCH_HAS_GLOBAL_INT64_ATOMICS__ (1)
#define __HIP_ARCH_HAS_SHARED_INT64_ATOMICS__ (1)
#define __HIP_ARCH_HAS_DOUBLES__ (1)
#define __HIP_ARCH_HAS_WARP_VOTE__ (1)
#define __HIP_ARCH_HAS_WARP_BALLOT__ (1)
#define __HIP_ARCH_HAS_WARP_SHUFFLE__ (1)
#define __HIP_ARCH_HAS_THREAD_FENCE_SYSTEM__ (1)
#define __HIP_ARCH_HAS_3DGRID__ (1)
#define __HIP_ARCH_HAS_WARP_FUNNEL_SHIFT__ (0)
#define __HIP_ARCH_HAS_SYNC_THREAD_EXT__ (0)
#define __HIP_ARCH_HAS_SURFACE_FUNCS__ (0)
#define __HIP_ARCH_HAS_DYNAMIC_PARALLEL__ (0)

// What all functions of these headers are.
#define __KCACHE_DEVICE static __attribute__((device, always_inline)) inline

// What a class's table of virtual functions has in the place of one that is not defined.
extern "C" inline __attribute__((device, noreturn)) void __cxa_pure_virtual() { __builtin_trap(); }
extern "C" inline __attribute__((device, noreturn)) void __cxa_deleted_virtual() { __builtin_trap(); }

// What is declared so that whoever calls it is told who has it.
#ifdef __NVPTX__
#define __KCACHE_LACKING(name)                                                                  \
  __attribute__((device, unavailable("the embedded LLVM has no " name                           \
                                     " for NVIDIA; compile with nvcc (KCACHE_TOOLCHAIN=nvcc)")))
#else
#define __KCACHE_LACKING(name)                                                                       \
  __attribute__((device, unavailable(                                                                \
                             name " needs ROCm's device library, which the embedded LLVM lacks;"     \
                                  " install it (rocm-device-libs), or compile with hipcc"            \
                                  " (KCACHE_TOOLCHAIN=hipcc)")))
#endif
