// SPDX-License-Identifier: Apache-2.0
//
// The image family: elements of images, moved by their bits. A unit serves all types of a size: u8,
// f16, u32 and i64 stand for 1, 2, 4 and 8 bytes, which are Word here.
//
//   im2col_<type>    (Strided<3> walk, Size image, Size padding, const Word* x, Word* out)
//   upsample_<type>  (Strided<3> walk, Size image, Size enlarged, const Word* x, Word* out)
//
// Any one-dimensional launch is right. out is contiguous, in the order of the walk, and does not
// overlap x. The three offsets of a walk are: to a plane of x, whose size is `image`, in elements; and
// two numbers, down and across.
//
//   im2col    the element of the plane at (down - padding.height, across - padding.width); 0 outside
//   upsample  the element of the plane at (down / enlarged.height, across / enlarged.width), where down
//             and across are multiples of image.height and image.width
#include <hip/hip_runtime.h>
#include <stdint.h>

#include "image.h"
#include "unit.h"
#include "word.h"

namespace kcache {

extern "C" __global__ void KCACHE_NAME(im2col)(Strided<3> walk, Size image, Size padding,
                                               const Word* x, Word* out) {
  for (int64_t i = grid_thread(); i < walk.count; i += grid_threads()) {
    const auto at = locate(walk, i);
    const int64_t down = at.of[1] - padding.height;
    const int64_t across = at.of[2] - padding.width;
    const bool inside = is_below(down, image.height) && is_below(across, image.width);
    out[i] = inside ? x[at.of[0] + down * image.width + across] : Word{0};
  }
}

extern "C" __global__ void KCACHE_NAME(upsample)(Strided<3> walk, Size image, Size enlarged,
                                                 const Word* x, Word* out) {
  for (int64_t i = grid_thread(); i < walk.count; i += grid_threads()) {
    const auto at = locate(walk, i);
    const int64_t down = quotient(at.of[1], enlarged.height, image.height * enlarged.height);
    const int64_t across = quotient(at.of[2], enlarged.width, image.width * enlarged.width);
    out[i] = x[at.of[0] + down * image.width + across];
  }
}

}  // namespace kcache
