// SPDX-License-Identifier: Apache-2.0
//
// The pool family: out[i] = the largest element, or the average, of a window of an image.
//
//   pool_max_<type>      (Strided<3> walk, Window window, const T* x, T* out)
//   pool_average_<type>  (Strided<3> walk, Window window, int32_t whole, const T* x, T* out)
//
// with <type> one of f32, f64, f16 and bf16. Any one-dimensional launch is right. out is contiguous, in
// the order of the walk, and does not overlap x. The three offsets of a walk are: to a plane of x, in
// elements; and down and across to the window, counted from the start of the padding. Elements of a
// window outside the image do not count.
//
// Meaning, the same on every target:
//   max      as IEEE 754-2019's maximum: NaN if any element is, and -0 is less than +0; of no element
//            at all, -infinity.
//   average  the elements' sum, row by row, in f64 for f64 and in f32 for the others, divided by their
//            number, or by the kernel's where whole is not 0, and then rounded to f16 or bf16. Of n
//            elements the sum is off by at most (n - 1) 2^-24 (2^-53) of the sum of their magnitudes. Of
//            no element at all, 0.
#include <hip/hip_runtime.h>
#include <stdint.h>

#include "exact.h"
#include "image.h"
#include "unit.h"

namespace kcache {

using Computed = decltype(widen(Element()));

struct Window {
  Size image;
  Size padding;
  Size kernel;
  Size dilation;
};

// Calls function(element) for the elements of a window, row by row.
template <class Function>
__device__ void visit(const Offsets<3>& at, const Window& window, const Element* x,
                      Function& function) {
#pragma unroll 1
  for (int64_t row = 0; row < window.kernel.height; ++row) {
    const int64_t down = at.of[1] - window.padding.height + row * window.dilation.height;
    if (!is_below(down, window.image.height)) continue;
#pragma unroll 1
    for (int64_t column = 0; column < window.kernel.width; ++column) {
      const int64_t across = at.of[2] - window.padding.width + column * window.dilation.width;
      if (is_below(across, window.image.width)) {
        function(widen(x[at.of[0] + down * window.image.width + across]));
      }
    }
  }
}

struct Maximum {
  Computed best;
  __device__ void operator()(Computed value) {
    const bool replaces = value > best || value != value ||
                          (value == best && math::sign_bit(value) < math::sign_bit(best));
    if (replaces && best == best) best = value;
  }
};

struct Sum {
  Computed sum = 0;
  int64_t count = 0;
  __device__ void operator()(Computed value) {
    sum += value;
    ++count;
  }
};

extern "C" __global__ void KCACHE_NAME(pool_max)(Strided<3> walk, Window window,
                                                 const Element* x, Element* out) {
  for (int64_t i = grid_thread(); i < walk.count; i += grid_threads()) {
    Maximum maximum{-math::infinity<Computed>()};
    visit(locate(walk, i), window, x, maximum);
    out[i] = Element(maximum.best);
  }
}

extern "C" __global__ void KCACHE_NAME(pool_average)(Strided<3> walk, Window window,
                                                     int32_t whole, const Element* x,
                                                     Element* out) {
  for (int64_t i = grid_thread(); i < walk.count; i += grid_threads()) {
    Sum sum;
    visit(locate(walk, i), window, x, sum);
    const int64_t count = whole != 0 ? window.kernel.height * window.kernel.width : sum.count;
    out[i] = Element(count == 0 ? sum.sum : sum.sum / static_cast<Computed>(count));
  }
}

}  // namespace kcache
