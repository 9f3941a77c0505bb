// SPDX-License-Identifier: Apache-2.0
//
// The transcendental family: out[i] = op(in[i]), of one type of float.
//
//   transcendental_<op>_<type>          (int64_t count, const T* in, T* out)
//   transcendental_<op>_<type>_strided  (Strided<1> walk, const T* in, T* out)
//
// with <op> one of exp, log, tanh, erf, and <type> that of a float, in walks as
// elementwise.h describes them.
//
//   transcendental_pow_<type>          (int64_t count, const T* in, T* out, double exponent)
//   transcendental_pow_<type>_strided  (Strided<1> walk, const T* in, T* out, double exponent)
//
// out[i] = in[i] to the power of exponent, which is rounded to f32 but for elements of f64.
//
// The functions are those of device_math.h, and of half_math.h for f16 and bf16.
#include <hip/hip_runtime.h>

#include "function_kernels.h"

namespace kcache {

using Wide = decltype(widen(Element()));

#define KERNELS(op)   \
  KCACHE_FUNCTION(op) \
  KCACHE_MAPS(transcendental_##op, Mapped<Op_##op>, MappedStrided<Op_##op>)

KERNELS(exp)
KERNELS(log)
KERNELS(tanh)
KERNELS(erf)

struct WidePow {
  Wide exponent;

  __device__ Wide operator()(Element x) const { return math::pow(widen(x), exponent); }
};

struct Pow {
  std::conditional_t<is_half, half::Pow, WidePow> pow;

  explicit __device__ Pow(double exponent) : pow{static_cast<Wide>(exponent)} {}
  __device__ Element operator()(Element x) const { return Element(pow(x)); }
};

using MappedPow = std::conditional_t<is_half, Pow, Called<Pow>>;

extern "C" __global__ void KCACHE_NAME(transcendental_pow)(int64_t count, const Element* in,
                                                           Element* out, double exponent) {
  map(MappedPow{Pow(exponent)}, count, out, in);
}

extern "C" __global__ void KCACHE_STRIDED_NAME(transcendental_pow)(
    Strided<1> walk, const Element* in, Element* out, double exponent) {
  map_strided(MappedPow{Pow(exponent)}, walk, out, in);
}

}  // namespace kcache
