// SPDX-License-Identifier: Apache-2.0
//
// A unit of compilation: a family's file for one element type, which the macro KCACHE_TYPE names.
// The catalogue generates a main file for each, such as binary_f32.hip: it includes HIP's header,
// defines KCACHE_TYPE as f32, and includes binary.hip. The kernels carry the name of the type.
#pragma once

#include <hip/hip_runtime.h>
#include <stdint.h>

#include "scalars.h"

#ifndef KCACHE_TYPE
#error "define KCACHE_TYPE, the element type, as the catalogue does"
#endif

#define KCACHE_JOIN(name, type, suffix) name##_##type##suffix
#define KCACHE_JOIN_EXPANDED(name, type, suffix) KCACHE_JOIN(name, type, suffix)

// The names of this unit's kernels: binary_add_f32, and binary_add_f32_strided.
#define KCACHE_NAME(name) KCACHE_JOIN_EXPANDED(name, KCACHE_TYPE, )
#define KCACHE_STRIDED_NAME(name) KCACHE_JOIN_EXPANDED(name, KCACHE_TYPE, _strided)

namespace kcache {

using Element = KCACHE_TYPE;

// This thread's place in a one-dimensional grid, and the number of threads in it.
inline __device__ int64_t grid_thread() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
inline __device__ int64_t grid_threads() { return int64_t{gridDim.x} * blockDim.x; }

}  // namespace kcache
