// SPDX-License-Identifier: Apache-2.0
//
// The activation family: out[i] = op(in[i]), of one type of float.
//
//   activation_<op>_<type>          (int64_t count, const T* in, T* out)
//   activation_<op>_<type>_strided  (Strided<1> walk, const T* in, T* out)
//
// with <op> one of sigmoid, silu, gelu, gelu_tanh, and <type> that of a float, in walks as
// elementwise.h describes them.
//
//   sigmoid    1 / (1 + exp(-x))
//   silu       x sigmoid(x)
//   gelu       x (1 + erf(x / sqrt(2))) / 2
//   gelu_tanh  x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
//
// of activations.h; docs/kernels.md has the bounds of their errors. f16 and bf16 are computed as
// f32 and rounded once more. A NaN gives a NaN, whose sign and payload are not specified. -infinity
// gives +0 in sigmoid and -0 in the others.
#include <hip/hip_runtime.h>

#include "activations.h"
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
  extern "C" __global__ void KCACHE_NAME(activation_##op)(                                   \
      int64_t count, const Element* in, Element* out) {                                      \
    map(Op_##op(), count, out, in);                                                          \
  }                                                                                          \
  extern "C" __global__ void KCACHE_STRIDED_NAME(activation_##op)(                           \
      Strided<1> walk, const Element* in, Element* out) {                                    \
    map_strided(Op_##op(), walk, out, in);                                                   \
  }

KERNELS(sigmoid)
KERNELS(silu)
KERNELS(gelu)
KERNELS(gelu_tanh)

}  // namespace kcache
