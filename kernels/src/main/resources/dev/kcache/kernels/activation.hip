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
// of activations.h, and of half_math.h for f16 and bf16; docs/kernels.md has the bounds of their
// errors. A NaN gives a NaN, whose sign and payload are not specified. -infinity gives +0 in sigmoid
// and -0 in the others.
#include <hip/hip_runtime.h>

#include "function_kernels.h"

namespace kcache {

#define KERNELS(op)   \
  KCACHE_FUNCTION(op) \
  KCACHE_MAPS(activation_##op, Mapped<Op_##op>, MappedStrided<Op_##op>)

KERNELS(sigmoid)
KERNELS(silu)
KERNELS(gelu)
KERNELS(gelu_tanh)

}  // namespace kcache
