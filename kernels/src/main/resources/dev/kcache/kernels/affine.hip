// SPDX-License-Identifier: Apache-2.0
//
// The affine family: out[i] = x[i] * scale + shift.
//
//   affine_<type>          (int64_t count, const T* x, T* out, Number scale, Number shift)
//   affine_<type>_strided  (Strided<1> walk, const T* x, T* out, Number scale, Number shift)
//
// with <type> a name of scalars.h, in walks as elementwise.h describes them. A Number is a double, or
// an int64_t where <type> is an integer.
//
// Meaning, the same on every target:
//   floats    scale and shift are rounded to the type that is computed in: f64 for f64, f32 for the
//             others. There the product and the sum are rounded together, once (a fused multiply-add),
//             and then to f16 or bf16. Subnormals are kept (but gfx8 and older take those of f32 and
//             bf16 for 0). A NaN that results is quiet; its sign and payload are not specified.
//   integers  wrap.
#include <hip/hip_runtime.h>
#include <stdint.h>

#include <type_traits>

#include "elementwise.h"
#include "exact.h"

namespace kcache {

using Number = std::conditional_t<std::is_integral_v<Element>, int64_t, double>;
using Computed = decltype(widen(Element()));

struct Affine {
  Computed scale;
  Computed shift;
  template <class T>
  __device__ T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return T(widen(x) * scale + shift);
    } else {
      return T(math::fused(widen(x), scale, shift));
    }
  }
};

extern "C" __global__ void KCACHE_NAME(affine)(int64_t count, const Element* x, Element* out,
                                               Number scale, Number shift) {
  map(Affine{static_cast<Computed>(scale), static_cast<Computed>(shift)}, count, out, x);
}

extern "C" __global__ void KCACHE_STRIDED_NAME(affine)(Strided<1> walk, const Element* x,
                                                       Element* out, Number scale, Number shift) {
  map_strided(Affine{static_cast<Computed>(scale), static_cast<Computed>(shift)}, walk, out, x);
}

}  // namespace kcache
