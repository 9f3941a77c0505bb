// SPDX-License-Identifier: Apache-2.0
//
// The saturate family: out[i] = x[i] in an integer type, which may not hold every value of x's. A unit
// is of the type of x; there is none of u8, which every type holds.
//
//   saturate_to_<to>_<type>          (int64_t count, const T* x, To* out)
//   saturate_to_<to>_<type>_strided  (Strided<1> walk, const T* x, To* out)
//
// with <to> one of u8, u32, i32 and i64, and <type> a name of scalars.h, in walks as elementwise.h
// describes them.
//
// Of a float, the whole part (toward zero). What is beyond the limits of <to> becomes the nearest one,
// infinities too; a NaN becomes 0. cast.hip wraps instead.
#include <hip/hip_runtime.h>

#include "cast.h"

namespace kcache {

KCACHE_CAST(saturate, Saturate, u8)
KCACHE_CAST(saturate, Saturate, u32)
KCACHE_CAST(saturate, Saturate, i32)
KCACHE_CAST(saturate, Saturate, i64)

}  // namespace kcache
