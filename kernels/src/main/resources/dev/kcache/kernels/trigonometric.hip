// SPDX-License-Identifier: Apache-2.0
//
// The trigonometric family: out[i] = op(in[i]), of one type of float, an angle in radians.
//
//   trigonometric_<op>_<type>          (int64_t count, const T* in, T* out)
//   trigonometric_<op>_<type>_strided  (Strided<1> walk, const T* in, T* out)
//
// with <op> one of sin and cos, and <type> that of a float, in walks as elementwise.h describes them.
//
// An infinite angle gives NaN. The functions are those of device_math.h, and of half_math.h for f16
// and bf16.
#include <hip/hip_runtime.h>

#include "function_kernels.h"

namespace kcache {

using Wide = decltype(widen(Element()));

// Computes small angles inline, and large ones, which are rare, by a call. f16 has none.
template <class Function, unsigned more>
struct Sine {
  __device__ Element operator()(Element element) const {
    const Wide x = widen(element);
    const bool small = math::magnitude(x) < math::Constants<Wide>::small_angle;
    if (!std::is_same_v<Element, f16> && !small) return Called<Function>()(element);
    if constexpr (is_half) return Element(half::sin_of_small(x, more));
    return Element(math::sin_of_small(x, more));
  }
};

KCACHE_FUNCTION(sin)
KCACHE_FUNCTION(cos)

template <class Function, unsigned more>
using MappedSine = std::conditional_t<sizeof(Element) <= 4, Sine<Function, more>, Called<Function>>;
using Sin = MappedSine<Op_sin, 0>;
using Cos = MappedSine<Op_cos, 1>;
KCACHE_MAPS(trigonometric_sin, Sin, Called<Op_sin>)
KCACHE_MAPS(trigonometric_cos, Cos, Called<Op_cos>)

}  // namespace kcache
