// SPDX-License-Identifier: Apache-2.0
//
// The where family: out[i] = condition[i] != 0 ? left[i] : right[i].
//
//   where_<type>          (int64_t count, const uint8_t* condition, const T* left, const T* right, T* out)
//   where_<type>_strided  (Strided<3> walk, const uint8_t* condition, const T* left, const T* right,
//                          T* out)
//
// in walks as elementwise.h describes them. The elements' bits are copied, those of a NaN too.
#include <hip/hip_runtime.h>

#include "elementwise.h"

namespace kcache {

struct Where {
  __device__ Element operator()(u8 condition, Element left, Element right) const {
    return condition != 0 ? left : right;
  }
};

extern "C" __global__ void KCACHE_NAME(where)(int64_t count, const u8* condition,
                                              const Element* left, const Element* right,
                                              Element* out) {
  map(Where(), count, out, condition, left, right);
}

extern "C" __global__ void KCACHE_STRIDED_NAME(where)(Strided<3> walk, const u8* condition,
                                                      const Element* left, const Element* right,
                                                      Element* out) {
  map_strided(Where(), walk, out, condition, left, right);
}

}  // namespace kcache
