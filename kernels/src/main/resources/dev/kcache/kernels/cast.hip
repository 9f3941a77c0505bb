// SPDX-License-Identifier: Apache-2.0
//
// The cast family: out[i] = x[i] in another type. A unit is of the type of x.
//
//   cast_to_<to>_<type>          (int64_t count, const T* x, To* out)
//   cast_to_<to>_<type>_strided  (Strided<1> walk, const T* x, To* out)
//
// with <to> and <type> names of scalars.h, in walks as elementwise.h describes them.
//
// Meaning, the same on every target:
//   to a float     rounded once to the nearest, ties to even; beyond the largest finite number,
//                  infinity. Subnormals are kept (but gfx8 and older take those of f32 and bf16 for
//                  0). A NaN stays one; its sign and payload are not specified.
//   to an integer  of a float, the whole part (toward zero); modulo 2^n, where n is the number of bits
//                  of the result. A NaN or an infinity becomes 0. saturate.hip has the limits instead.
//   to itself      the same bits.
#include <hip/hip_runtime.h>

#include "cast.h"

namespace kcache {

KCACHE_CAST(cast, Wrap, f32)
KCACHE_CAST(cast, Wrap, f64)
KCACHE_CAST(cast, Wrap, f16)
KCACHE_CAST(cast, Wrap, bf16)
KCACHE_CAST(cast, Wrap, u8)
KCACHE_CAST(cast, Wrap, u32)
KCACHE_CAST(cast, Wrap, i32)
KCACHE_CAST(cast, Wrap, i64)

}  // namespace kcache
