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

// A function that is called for each element. Inlined, one of so many operations would be in its
// kernels a dozen times, and its constants take more scalar registers than there are. (__noinline__
// has no effect in HIP 5.2.)
template <class Function>
struct Called {
  Function function;

  __attribute__((noinline)) __device__ Element operator()(Element x) const { return function(x); }
};

// A function of half_math.h takes a few operations, fewer than a call, and leaves its pack together.
template <class Function>
using Mapped = std::conditional_t<is_half, Function, Called<Function>>;

}  // namespace kcache

#define KCACHE_FUNCTION(family, op)                                      \
  struct Op_##op {                                                       \
    __device__ Element operator()(Element x) const {                     \
      if constexpr (is_half) return Element(half::op(x));                \
      return Element(math::op(widen(x)));                                \
    }                                                                    \
  };                                                                     \
  extern "C" __global__ void KCACHE_NAME(family##_##op)(                 \
      int64_t count, const Element* in, Element* out) {                  \
    map(Mapped<Op_##op>(), count, out, in);                              \
  }                                                                      \
  extern "C" __global__ void KCACHE_STRIDED_NAME(family##_##op)(         \
      Strided<1> walk, const Element* in, Element* out) {                \
    map_strided(Mapped<Op_##op>(), walk, out, in);                       \
  }
