// SPDX-License-Identifier: Apache-2.0
//
// The transcendental family: out[i] = op(in[i]), of one type of float.
//
//   transcendental_<op>_<type>          (int64_t count, const T* in, T* out)
//   transcendental_<op>_<type>_strided  (Strided<1> walk, const T* in, T* out)
//
// with <op> one of exp, log, sin, cos, tanh, erf, and <type> that of a float, in walks as
// elementwise.h describes them.
//
//   transcendental_pow_<type>          (int64_t count, const T* in, T* out, double exponent)
//   transcendental_pow_<type>_strided  (Strided<1> walk, const T* in, T* out, double exponent)
//
// out[i] = in[i] to the power of exponent, which is rounded to f32 but for elements of f64.
//
// The functions are those of device_math.h. f16 and bf16 are computed as f32 and rounded once more.
#include <hip/hip_runtime.h>

#include "device_math.h"
#include "elementwise.h"

namespace kcache {

// Inlined, a function would be in its kernels a dozen times, and its constants take more scalar
// registers than there are. (__noinline__ has no effect in HIP 5.2.)
#define NOT_INLINED __attribute__((noinline)) __device__

#define KERNELS(op)                                                                          \
  struct Op_##op {                                                                           \
    NOT_INLINED Element operator()(Element x) const {                                        \
      return Element(math::op(widen(x)));                                                    \
    }                                                                                        \
  };                                                                                         \
  extern "C" __global__ void KCACHE_NAME(transcendental_##op)(                               \
      int64_t count, const Element* in, Element* out) {                                      \
    map(Op_##op(), count, out, in);                                                          \
  }                                                                                          \
  extern "C" __global__ void KCACHE_STRIDED_NAME(transcendental_##op)(                       \
      Strided<1> walk, const Element* in, Element* out) {                                    \
    map_strided(Op_##op(), walk, out, in);                                                   \
  }

KERNELS(exp)
KERNELS(log)
KERNELS(sin)
KERNELS(cos)
KERNELS(tanh)
KERNELS(erf)

using Wide = decltype(widen(Element()));

struct Pow {
  Wide exponent;

  NOT_INLINED Element operator()(Element x) const {
    return Element(math::pow(widen(x), exponent));
  }
};

extern "C" __global__ void KCACHE_NAME(transcendental_pow)(int64_t count, const Element* in,
                                                           Element* out, double exponent) {
  map(Pow{static_cast<Wide>(exponent)}, count, out, in);
}

extern "C" __global__ void KCACHE_STRIDED_NAME(transcendental_pow)(
    Strided<1> walk, const Element* in, Element* out, double exponent) {
  map_strided(Pow{static_cast<Wide>(exponent)}, walk, out, in);
}

}  // namespace kcache
