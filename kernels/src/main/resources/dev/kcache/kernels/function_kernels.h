// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a mathematical function of one element: of half_math.h for f16 and bf16, of
// device_math.h and activations.h for f32 and f64.
#pragma once

#include <hip/hip_runtime.h>

#include "activations.h"
#include "device_math.h"
#include "elementwise.h"
#include "half_math.h"

namespace kcache {

constexpr bool is_half = sizeof(Element) == 2;

// A function that is called for each element. It calls no other: that would take scratch memory.
// (__noinline__ has no effect in HIP 5.2.)
template <class Function>
struct Called {
  Function function;

  __attribute__((noinline)) __device__ Element operator()(Element x) const { return function(x); }
};

// Of f64 functions are called: inlined, one of so many operations would be in its kernels a dozen
// times, and its constants take more scalar registers than there are. So does one of f32 in a strided
// kernel, which has many registers of its own. Elsewhere a call would take as long as the function,
// and keep a processor from computing some elements at once.
template <class Function>
using Mapped = std::conditional_t<sizeof(Element) <= 4, Function, Called<Function>>;
template <class Function>
using MappedStrided = std::conditional_t<is_half, Function, Called<Function>>;

}  // namespace kcache

#define KCACHE_MAPS(name, function, strided_function)                                            \
  extern "C" __global__ void KCACHE_NAME(name)(int64_t count, const Element* in, Element* out) { \
    map(function(), count, out, in);                                                             \
  }                                                                                              \
  extern "C" __global__ void KCACHE_STRIDED_NAME(name)(Strided<1> walk, const Element* in,       \
                                                       Element* out) {                           \
    map_strided(strided_function(), walk, out, in);                                              \
  }

#define KCACHE_FUNCTION(op)                               \
  struct Op_##op {                                        \
    __device__ Element operator()(Element x) const {      \
      if constexpr (is_half) return Element(half::op(x)); \
      return Element(math::op(widen(x)));                 \
    }                                                     \
  };
