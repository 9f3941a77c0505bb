// SPDX-License-Identifier: Apache-2.0
//
// The compare family: out[i] = left[i] op right[i] ? 1 : 0, for operands of one type; out is of u8.
//
//   compare_<op>_<type>          (int64_t count, const T* left, const T* right, uint8_t* out)
//   compare_<op>_<type>_strided  (Strided<2> walk, const T* left, const T* right, uint8_t* out)
//
// with <op> one of eq, ne, lt, le, gt, ge, in walks as elementwise.h describes them.
//
// A NaN is unequal to everything, itself included, and neither less nor greater; -0 equals +0.
#include <hip/hip_runtime.h>

#include <type_traits>

#include "elementwise.h"

namespace kcache {

// What an element is compared as: the signed integers as themselves, which widen() takes for
// unsigned, and the others as widen() has them.
template <class T>
__device__ auto comparable(T value) {
  if constexpr (std::is_integral_v<T>) {
    return value;
  } else {
    return widen(value);
  }
}

#define KERNELS(op, Operator, symbol)                                                         \
  struct Operator {                                                                          \
    __device__ u8 operator()(Element a, Element b) const {                                   \
      return comparable(a) symbol comparable(b) ? 1 : 0;                                     \
    }                                                                                        \
  };                                                                                         \
  extern "C" __global__ void KCACHE_NAME(compare_##op)(int64_t count, const Element* left,   \
                                                       const Element* right, u8* out) {      \
    map(Operator(), count, out, left, right);                                                \
  }                                                                                          \
  extern "C" __global__ void KCACHE_STRIDED_NAME(compare_##op)(                              \
      Strided<2> walk, const Element* left, const Element* right, u8* out) {                 \
    map_strided(Operator(), walk, out, left, right);                                         \
  }

KERNELS(eq, Equal, ==)
KERNELS(ne, Unequal, !=)
KERNELS(lt, Less, <)
KERNELS(le, AtMost, <=)
KERNELS(gt, Greater, >)
KERNELS(ge, AtLeast, >=)

}  // namespace kcache
