// SPDX-License-Identifier: Apache-2.0
//
// The norm family: rows of mean 0 and variance 1, or of mean square 1.
//
//   norm_layer_<type>  (Strided<1> rows, RowShape shape, const T* x, const T* weight,
//                       const T* bias, T* out, double epsilon)
//   norm_rms_<type>    the same
//
// with <type> one of f32, f64, f16 and bf16, and rows, blocks and lanes as softmax.hip has them.
// weight and bias have an element for each of a row, and may be null.
//
// layer: out = (x - mean) / sqrt(variance + epsilon) * weight + bias, with the variance of the row's
// elements about their mean. rms: out = x / sqrt(mean of x^2 + epsilon) * weight + bias. f16 and bf16
// are computed with as float. Sums are pairwise, but for the elements of a lane.
#include <hip/hip_runtime.h>
#include <stdint.h>

#include "roots.h"
#include "rows.h"

namespace kcache {

template <bool centred>
struct Norm {
  const Element* weight;
  const Element* bias;
  Wide epsilon;

  template <class RowType>
  __device__ void compute(const Row& in, const Lanes& lanes, Element* out, Wide* shared) const {
    RowType row(in, 0);
    const Wide count = static_cast<Wide>(in.count);
    Wide mean = 0;
    if (centred) {
      Quad sums = {};
      row.for_each([&](int64_t, Quad& quad) {
        for (int k = 0; k < row_pack; ++k) sums.values[k] += quad.values[k];
      });
      mean = join_lanes(lanes, join(sums, Add()), shared, Add()) / count;
    }

    Quad squares = {};
    row.for_each([&](int64_t i, Quad& quad) {
      for (int k = 0; k < row_pack; ++k) {
        const Wide deviation = i + k < in.left ? quad.values[k] - mean : 0;
        squares.values[k] = math::fused(deviation, deviation, squares.values[k]);
      }
    });
    const Wide square = join_lanes(lanes, join(squares, Add()), shared, Add()) / count;
    const Wide factor = math::rsqrt(square + epsilon);

    const bool packed = in.count % row_pack == 0 && starts_pack<Element, row_pack>(out);
    out += in.first;
    row.for_each([&](int64_t i, Quad& quad) {
      for (int k = 0; k < row_pack; ++k) {
        quad.values[k] = math::product(quad.values[k] - mean, factor);
      }
      if (weight != nullptr) {
        const Row weights(weight, in.count, 1, lanes);
        const Quad by = RowType::held ? weights.read_pack(i) : weights.read(i, 0);
        for (int k = 0; k < row_pack; ++k) {
          quad.values[k] = math::product(quad.values[k], by.values[k]);
        }
      }
      if (bias != nullptr) {
        const Row biases(bias, in.count, 1, lanes);
        const Quad more = RowType::held ? biases.read_pack(i) : biases.read(i, 0);
        for (int k = 0; k < row_pack; ++k) quad.values[k] += more.values[k];
      }
      write(out, in.left, RowType::held || packed, i, quad);
    });
  }
};

#define KERNEL(name, centred)                                                        \
  extern "C" __global__ __launch_bounds__(most_threads) void name(                   \
      Strided<1> rows, RowShape shape, const Element* x, const Element* weight,      \
      const Element* bias, Element* out, double epsilon) {                           \
    __shared__ Wide shared[2 * most_threads];                                        \
    const Norm<centred> norm{weight, bias, static_cast<Wide>(epsilon)};              \
    compute_row(norm, rows, shape, x, out, shared, weight, bias);                    \
  }

KERNEL(KCACHE_NAME(norm_layer), true)
KERNEL(KCACHE_NAME(norm_rms), false)

}  // namespace kcache
