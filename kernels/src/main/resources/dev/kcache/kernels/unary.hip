// SPDX-License-Identifier: Apache-2.0
//
// The unary family: out[i] = op(in[i]), of one type.
//
//   unary_<op>_<type>          (int64_t count, const T* in, T* out)
//   unary_<op>_<type>_strided  (Strided<1> walk, const T* in, T* out)
//
// with <op> one of neg, abs, sign, relu, and <type> a name of scalars.h, in walks as elementwise.h
// describes them.
//
// Meaning, the same on every target (but gfx8 and older take subnormals of f32 and bf16 for 0):
//   floats    A NaN gives a NaN, whose sign and payload are not specified. sign is -1 or 1, and of
//             a zero that zero, with its sign. relu is x for x > 0, and +0 for others: for -0 too.
//   integers  neg wraps, and so does abs: that of the lowest is the lowest.
#include <hip/hip_runtime.h>

#include <type_traits>

#include "elementwise.h"
#include "exact.h"

namespace kcache {

template <class T>
__device__ T neg(T x) {
  if constexpr (std::is_integral_v<T>) {
    return T(0 - widen(x));
  } else {
    return T(-widen(x));
  }
}

template <class T>
__device__ T abs(T x) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>) {
      return x < 0 ? neg(x) : x;
    } else {
      return x;
    }
  } else {
    return T(math::magnitude(widen(x)));
  }
}

template <class T>
__device__ T sign(T x) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>) {
      return T((x > 0) - (x < 0));
    } else {
      return T(x != 0);
    }
  } else {
    const auto wide = widen(x);
    return wide > 0 ? T(decltype(wide)(1)) : wide < 0 ? T(decltype(wide)(-1)) : x;
  }
}

template <class T>
__device__ T relu(T x) {
  if constexpr (std::is_integral_v<T>) {
    return x > 0 ? x : T(0);
  } else {
    const auto wide = widen(x);
    return wide <= 0 ? T(decltype(wide)(0)) : x;
  }
}

#define KERNELS(op, Operator)                                                                \
  struct Operator {                                                                          \
    __device__ Element operator()(Element x) const { return op(x); }                         \
  };                                                                                         \
  extern "C" __global__ void KCACHE_NAME(unary_##op)(int64_t count, const Element* in,       \
                                                     Element* out) {                         \
    map(Operator(), count, out, in);                                                         \
  }                                                                                          \
  extern "C" __global__ void KCACHE_STRIDED_NAME(unary_##op)(                                \
      Strided<1> walk, const Element* in, Element* out) {                                    \
    map_strided(Operator(), walk, out, in);                                                  \
  }

KERNELS(neg, Neg)
KERNELS(abs, Abs)
KERNELS(sign, Sign)
KERNELS(relu, Relu)

}  // namespace kcache
