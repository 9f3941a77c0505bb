// SPDX-License-Identifier: Apache-2.0
//
// The softmax family: rows of exponentials over their sum, and their logarithms.
//
//   softmax_<type>      (Strided<1> rows, RowShape shape, const T* x, T* out)
//   softmax_log_<type>  the same
//
// with <type> one of f32, f64, f16 and bf16. rows leads to the first element of each row of x; out is
// contiguous, and may be x if that is too. A block has a power of two of threads, at most
// most_threads of rows.h and no less than the lanes. There is a thread for each lane
// of the rows from shape.first on, or of some.
//
// softmax: out = exp(x - max) / sum of exp(x - max). softmax_log: out = x - max - log(the sum).
// f16 and bf16 are computed with as float. A row with a NaN, with +infinity, or of -infinity alone
// gives NaNs, as in PyTorch. Sums are pairwise, but for the elements of a lane.
#include <hip/hip_runtime.h>
#include <stdint.h>

#include "device_math.h"
#include "rows.h"

namespace kcache {

// e to the power of x <= 0.
inline __device__ Wide exp_of_difference(Wide x) {
  const Wide bounded = math::at_least(-math::Constants<Wide>::exp_end, x);
  return math::product(math::raised_exp(math::Pair<Wide>{bounded, 0}), math::lowering<Wide>());
}

// NaN if either is.
struct Greater {
  __device__ Wide operator()(Wide a, Wide b) const { return b > a || b != b ? b : a; }
};

template <bool logarithm>
struct Softmax {
  template <class RowType>
  __device__ void compute(const Row& in, const Lanes& lanes, Element* out, Wide* shared) const {
    const Wide lowest = -math::infinity<Wide>();
    RowType row(in, lanes, lowest);
    Quad most = {{lowest, lowest, lowest, lowest}};
    row.for_each([&](int64_t, Quad& quad) {
      for (int k = 0; k < row_pack; ++k) {
        most.values[k] = Greater()(most.values[k], quad.values[k]);
      }
    });
    const Wide greatest = join_row(lanes, most, shared, Greater());

    constexpr bool held = RowType::held;
    Quad sums = {};
    row.for_each_in_turn([&](int64_t, Quad& quad) {
      for (int k = 0; k < row_pack; ++k) {
        const Wide power = exp_of_difference(quad.values[k] - greatest);
        sums.values[k] += power;
        if (held && !logarithm) quad.values[k] = power;
      }
    });
    const Wide sum = join_row(lanes, sums, shared, Add());
    const bool valid = math::magnitude(greatest) < math::infinity<Wide>();
    const Wide last = !valid ? math::not_a_number<Wide>() : logarithm ? math::log(sum) : 1 / sum;

    const bool packed = in.count % row_pack == 0 && starts_pack<Element, row_pack>(out);
    row.for_each_in_turn([&](int64_t i, Quad& quad) {
      for (int k = 0; k < row_pack; ++k) {
        const Wide value = quad.values[k];
        if (logarithm) {
          quad.values[k] = (value - greatest) - last;
        } else {
          quad.values[k] =
              math::product(held ? value : exp_of_difference(value - greatest), last);
        }
      }
      write(out, in.count, held || packed, i, quad);
    });
  }
};

#define KERNEL(name, logarithm)                                            \
  extern "C" __global__ __launch_bounds__(most_threads) void name(         \
      Strided<1> rows, RowShape shape, const Element* x, Element* out) {   \
    __shared__ Wide shared[2 * most_threads];                              \
    compute_row(Softmax<logarithm>(), rows, shape, x, out, shared);       \
  }

KERNEL(KCACHE_NAME(softmax), false)
KERNEL(KCACHE_NAME(softmax_log), true)

}  // namespace kcache
