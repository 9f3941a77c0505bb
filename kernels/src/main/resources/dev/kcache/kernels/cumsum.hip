// SPDX-License-Identifier: Apache-2.0
//
// The cumsum family: sums of the elements of a line up to each, out[i, j] = x[i, 0] + ... + x[i, j].
//
//   cumsum_<type>  (Strided<2> lines, LineShape shape, const T* x, Out* out)
//
// with <type> a name of scalars.h. lines leads to the first element of each line in x and in out; Out
// is T for floats and int64_t for integers. out may be x, if elements have the same size and place.
//
// Integers are added modulo 2^64, f16 and bf16 as float, and each sum of those is rounded once. The
// sum up to element j is of at most 13 + j / (4 lanes) additions one after the other.
//
// Blocks have 256 threads; any number of blocks is right.
#include <hip/hip_runtime.h>
#include <stdint.h>

#include <type_traits>

#include "block.h"

namespace kcache {

constexpr int block_size = 256;
constexpr int size = 4;  // of a pack

using Total = decltype(term(Element()));
using Out = std::conditional_t<std::is_integral_v<Element>, int64_t, Element>;

struct LineShape {
  int64_t count;   // of elements
  int64_t stride;  // of neighbours in x
  int64_t out_stride;
  int64_t lanes;   // of a line: a power of two, at most 256
  int64_t across;  // whether neighbouring threads have neighbouring lines
};

struct Sums {
  Total before;  // of the lanes before this one
  Total all;
};

// The sums of the lanes' values, by twice as many neighbours each time. All threads of the block have
// to call it, with room for two values of each.
inline __device__ Sums sum_lanes(const Lanes& lanes, Total value, Total* shared) {
  const int thread = threadIdx.x;
  const int first = thread - lanes.lane * lanes.distance;
  Total* room = shared;
  __syncthreads();
  room[thread] = value;
  __syncthreads();
  for (int reach = 1; reach < lanes.count; reach *= 2) {
    if (lanes.lane >= reach) value = room[thread - reach * lanes.distance] + value;
    room = room == shared ? shared + block_size : shared;
    room[thread] = value;
    __syncthreads();
  }
  return {lanes.lane == 0 ? Total(0) : room[thread - lanes.distance],
          room[first + (lanes.count - 1) * lanes.distance]};
}

inline __device__ void sum_line(const Lanes& lanes, const LineShape& shape, bool there,
                                const Element* x, Out* out, Total* shared) {
  Total carry = 0;
  const int64_t step = int64_t{size} * lanes.count;
  int64_t i = int64_t{size} * lanes.lane;
  for (int64_t begin = 0; begin < shape.count; begin += step, i += step) {
    Total sums[size];
    if (there && i + size <= shape.count) {
      const auto pack = load<size>(x + i * shape.stride, shape.stride);
      for (int k = 0; k < size; ++k) sums[k] = term(pack.elements[k]);
    } else {
      for (int k = 0; k < size; ++k) {
        sums[k] = there && i + k < shape.count ? term(x[(i + k) * shape.stride]) : Total(0);
      }
    }
    for (int k = 1; k < size; ++k) sums[k] += sums[k - 1];
    const Sums others = sum_lanes(lanes, sums[size - 1], shared);
    const Total before = carry + others.before;
    carry += others.all;
    Pack<Out, size> pack;
    for (int k = 0; k < size; ++k) pack.elements[k] = Out(before + sums[k]);
    Out* to = out + i * shape.out_stride;
    if (there && shape.out_stride == 1 && i + size <= shape.count && starts_pack<Out, size>(to)) {
      *reinterpret_cast<Pack<Out, size>*>(to) = pack;
    } else {
      for (int k = 0; k < size; ++k) {
        if (there && i + k < shape.count) to[k * shape.out_stride] = pack.elements[k];
      }
    }
  }
}

extern "C" __global__ __launch_bounds__(block_size) void KCACHE_NAME(cumsum)(Strided<2> lines,
                                                                            LineShape shape,
                                                                            const Element* x,
                                                                            Out* out) {
  __shared__ Total shared[2 * block_size];
  const Lanes lanes(shape.lanes, shape.across != 0);
  const int64_t tiles = (lines.count + lanes.lines - 1) / lanes.lines;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t line = tile * lanes.lines + lanes.line;
    const bool there = line < lines.count;
    const auto at = locate(lines, there ? line : 0);
    sum_line(lanes, shape, there, x + at.of[0], out + at.of[1], shared);
  }
}

}  // namespace kcache
