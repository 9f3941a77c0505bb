// SPDX-License-Identifier: Apache-2.0
//
// The algebraic family: out[i] = op(in[i]), of one type of float.
//
//   algebraic_<op>_<type>          (int64_t count, const T* in, T* out)
//   algebraic_<op>_<type>_strided  (Strided<1> walk, const T* in, T* out)
//
// with <op> one of floor, ceil, round, recip, sqrt, rsqrt, and <type> that of a float, in walks as
// elementwise.h describes them.
//
// Meaning, the same on every target (but gfx8 and older take subnormals of f32 and bf16 for 0). A
// NaN gives a NaN, whose sign and payload are not specified.
//   floor, ceil, round  round is to the nearest whole number, ties to even. Zeros have the sign of
//                       x: round(-0.5) is -0.
//   recip               1 / x, correctly rounded.
//   sqrt                correctly rounded; that of -0 is -0.
//   rsqrt               1 / sqrt(x), less than 0.51 units in the last place from exact. That of -0
//                       is -infinity.
#include <hip/hip_runtime.h>

#include "elementwise.h"
#include "exact.h"
#include "roots.h"

namespace kcache {

namespace math {

template <class T>
__device__ T recip(T x) {
  return 1 / x;
}

}  // namespace math

template <class T>
__device__ auto root(T x) {
  if constexpr (sizeof(T) == 2) return half::sqrt(x);
  if constexpr (sizeof(T) > 2) return math::sqrt(x);
}

template <class T>
__device__ auto inverse_root(T x) {
  if constexpr (sizeof(T) == 2) return half::rsqrt(x);
  if constexpr (sizeof(T) > 2) return math::rsqrt(x);
}

#define KERNELS(op, value)                                                                   \
  struct Op_##op {                                                                           \
    __device__ Element operator()(Element x) const { return Element(value); }                \
  };                                                                                         \
  extern "C" __global__ void KCACHE_NAME(algebraic_##op)(                                    \
      int64_t count, const Element* in, Element* out) {                                      \
    map(Op_##op(), count, out, in);                                                          \
  }                                                                                          \
  extern "C" __global__ void KCACHE_STRIDED_NAME(algebraic_##op)(                            \
      Strided<1> walk, const Element* in, Element* out) {                                    \
    map_strided(Op_##op(), walk, out, in);                                                   \
  }

KERNELS(floor, math::floor(widen(x)))
KERNELS(ceil, math::ceil(widen(x)))
KERNELS(round, math::round(widen(x)))
KERNELS(recip, math::recip(widen(x)))
KERNELS(sqrt, root(x))
KERNELS(rsqrt, inverse_root(x))

}  // namespace kcache
