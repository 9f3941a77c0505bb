// SPDX-License-Identifier: Apache-2.0
//
// The softmax family: rows of exponentials over their sum, and their logarithms.
//
//   softmax_<type>      (Strided<1> rows, RowShape shape, const T* x, T* out)
//   softmax_log_<type>  the same
//
// with <type> one of f32, f64, f16 and bf16. rows leads to the first element of each row of x; out is
// contiguous, and may be x if that is too. A block has a power of two of threads, at most
// most_threads of rows.h and no less than the lanes. A launch computes the rows from shape.first on,
// as many as its blocks have lanes for.
//
// softmax: out = exp(x - max) / sum of exp(x - max). softmax_log: out = x - max - log(the sum).
// f16 and bf16 are computed with as float. A row with a NaN, with +infinity, or of -infinity alone
// gives NaNs, as in PyTorch. Sums are pairwise, but for the elements of a lane.
#include <hip/hip_runtime.h>
#include <stdint.h>

#include "device_math.h"
#include "rows.h"

namespace kcache {

// What raised_power is too large by, so that it and the product of two are normal numbers.
inline __device__ Wide raise() {
  return math::power_of_two<Wide>(math::Format<Wide>::bias / 4 + 4);
}

// e to the power of x <= 0 times raise(), by fewer operations than in device_math.h: errors of x
// count for more.
inline __device__ Wide raised_power(Wide x) {
  using C = math::Constants<Wide>;
  const Wide bounded = math::at_least(-C::exp_end, x);
  const math::Steps<Wide> n(bounded, C::per_ln2);
  const Wide r = math::fused(-n.whole, C::ln2_low, math::fused(-n.whole, C::ln2, bounded));
  const Wide curve = math::fused(r, math::exp_fit(r), Wide(0.5));
  const Wide power = math::fused(r, math::fused(r, curve, Wide(1)), Wide(1));
  return math::product(power, n.scaled(raise()));
}

inline __device__ float greater(float a, float b) { return __builtin_fmaxf(a, b); }
inline __device__ double greater(double a, double b) { return __builtin_fmax(a, b); }

// Of numbers; a NaN is as little as -infinity.
struct Greater {
  __device__ Wide operator()(Wide a, Wide b) const { return greater(a, b); }
};

template <bool logarithm>
struct Softmax {
  template <class RowType>
  __device__ void compute(const Row& in, const Lanes& lanes, Element* out, Wide* shared) const {
    const Wide lowest = -math::infinity<Wide>();
    RowType row(in, lowest);
    Quad most = {{lowest, lowest, lowest, lowest}};
    row.for_each([&](int64_t, Quad& quad) {
      for (int k = 0; k < row_pack; ++k) {
        most.values[k] = Greater()(most.values[k], quad.values[k]);
      }
    });
    // Powers relative to the greatest of the lane's elements, and not of the row's: so they are
    // computed while other lanes still read. The lane's factor corrects them.
    const Wide own = join(most, Greater());
    const Wide origin = own == lowest ? 0 : own;
    constexpr bool held = RowType::held;
    Quad sums = {};
    row.for_each([&](int64_t, Quad& quad) {
      for (int k = 0; k < row_pack; ++k) {
        const Wide power = raised_power(quad.values[k] - origin);
        sums.values[k] += power;
        if (held && !logarithm) quad.values[k] = power;
      }
    });
    const Wide greatest = join_lanes(lanes, own, shared, Greater());
    // Of a lane of -infinity alone, nothing is left.
    const Wide factor = raised_power(math::at_most(Wide(0), origin - greatest));
    const Wide sum = join_lanes(lanes, math::product(join(sums, Add()), factor), shared, Add());
    const bool valid = math::magnitude(greatest) < math::infinity<Wide>();
    const Wide last = !valid      ? math::not_a_number<Wide>()
                      : logarithm ? math::log(math::product(sum, 1 / (raise() * raise())))
                                  : 1 / sum;

    const bool packed = in.count % row_pack == 0 && starts_pack<Element, row_pack>(out);
    out += in.first;
    row.for_each([&](int64_t i, Quad& quad) {
      for (int k = 0; k < row_pack; ++k) {
        const Wide value = quad.values[k];
        if (logarithm) {
          quad.values[k] = (value - greatest) - last;
        } else {
          const Wide power = held ? value : raised_power(value - origin);
          quad.values[k] = math::product(math::product(power, factor), last);
        }
      }
      write(out, in.left, held || packed, i, quad);
    });
  }
};

#define KERNEL(name, logarithm)                                            \
  extern "C" __global__ __launch_bounds__(most_threads) void name(         \
      Strided<1> rows, RowShape shape, const Element* x, Element* out) {   \
    __shared__ Wide shared[2 * most_threads];                              \
    compute_row(Softmax<logarithm>(), rows, shape, x, out, shared);        \
  }

KERNEL(KCACHE_NAME(softmax), false)
KERNEL(KCACHE_NAME(softmax_log), true)

}  // namespace kcache
