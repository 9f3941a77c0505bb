// SPDX-License-Identifier: Apache-2.0
//
// The binary family: out[i] = left[i] op right[i], for operands of one type.
//
//   binary_<op>_<type>          (int64_t count, const T* left, const T* right, T* out)
//   binary_<op>_<type>_strided  (Strided<2> walk, const T* left, const T* right, T* out)
//
// with <op> one of add, sub, mul, div, minimum, maximum, and <type> a name of scalars.h, in walks as
// elementwise.h describes them.
//
// Meaning, the same on every target:
//   floats    add, sub, mul and div are IEEE 754's, rounded to nearest, subnormals kept (but gfx8
//             and older take those of f32 and bf16 for 0: the compilers' default there).
//             minimum and maximum are those of IEEE 754-2019: NaN if either operand is, and -0 is
//             less than +0. A NaN that results is quiet; its sign and payload are not specified.
//   integers  add, sub and mul wrap. div truncates toward zero; x / 0 is 0, and lowest / -1 wraps
//             to lowest.
#include <hip/hip_runtime.h>

#include <cmath>
#include <type_traits>

#include "elementwise.h"

namespace kcache {

// Whether a comes before b, where -0 comes before +0. Neither may be a NaN.
template <class T>
__device__ bool precedes(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b;
  } else {
    return widen(a) < widen(b) || (widen(a) == widen(b) && std::signbit(widen(a)));
  }
}

template <class T>
__device__ bool either_is_nan(T a, T b) {
  return widen(a) != widen(a) || widen(b) != widen(b);
}

template <class T>
__device__ T integer_quotient(T dividend, T divisor) {
  if (divisor == 0) return 0;
  // lowest / -1 overflows, which is undefined; its negation as an unsigned number wraps.
  if (std::is_signed_v<T> && divisor == static_cast<T>(-1)) return T(0 - widen(dividend));
  return dividend / divisor;
}

struct Add {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return T(widen(a) + widen(b));
  }
};

struct Sub {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return T(widen(a) - widen(b));
  }
};

struct Mul {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return T(widen(a) * widen(b));
  }
};

struct Div {
  template <class T>
  __device__ T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return integer_quotient(a, b);
    } else {
      return T(widen(a) / widen(b));
    }
  }
};

struct Minimum {
  template <class T>
  __device__ T operator()(T a, T b) const {
    if (either_is_nan(a, b)) return Add()(a, b);
    return precedes(a, b) ? a : b;
  }
};

struct Maximum {
  template <class T>
  __device__ T operator()(T a, T b) const {
    if (either_is_nan(a, b)) return Add()(a, b);
    return precedes(a, b) ? b : a;
  }
};

#define KERNELS(op, Operator)                                                               \
  extern "C" __global__ void KCACHE_NAME(binary_##op)(int64_t count, const Element* left,  \
                                                      const Element* right, Element* out) { \
    map(Operator(), count, out, left, right);                                              \
  }                                                                                        \
  extern "C" __global__ void KCACHE_STRIDED_NAME(binary_##op)(                             \
      Strided<2> walk, const Element* left, const Element* right, Element* out) {          \
    map_strided(Operator(), walk, out, left, right);                                       \
  }

KERNELS(add, Add)
KERNELS(sub, Sub)
KERNELS(mul, Mul)
KERNELS(div, Div)
KERNELS(minimum, Minimum)
KERNELS(maximum, Maximum)

}  // namespace kcache
