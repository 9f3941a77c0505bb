// SPDX-License-Identifier: Apache-2.0
//
// What the families of images share.
#pragma once

#include <hip/hip_runtime.h>
#include <stdint.h>

#include "strided.h"

namespace kcache {

// Two numbers of dimensions, passed by value.
struct Size {
  int64_t height;
  int64_t width;
};

// Whether a number is at least 0 and below another.
inline __device__ bool is_below(int64_t number, int64_t end) {
  return static_cast<uint64_t>(number) < static_cast<uint64_t>(end);
}

}  // namespace kcache
