// SPDX-License-Identifier: Apache-2.0
//
// How the elements of several operands pair up, whatever their strides: passed to a kernel by value.
#pragma once

#include <hip/hip_runtime.h>
#include <stdint.h>

namespace kcache {

constexpr int max_rank = 8;

// The shape of the walk, and the strides of N operands in it. Java's Walk fills it.
//
// Dimensions are ordered from the outermost to the innermost, which varies fastest. Strides are in
// elements, from the addresses that the kernel is given; 0 repeats an operand along a dimension
// (broadcasting) and a negative one walks it backwards. What the arrays hold beyond the rank is not
// read.
//
// n / extent is (n + high half of n * multiplier) >> shift for n < 2^31: a GPU has no instruction to
// divide by.
template <int N>
struct Strided {
  int64_t count;  // of elements: the product of the extents, 1 if rank is 0
  int64_t rank;   // 0 to max_rank
  int64_t extents[max_rank];
  uint32_t multipliers[max_rank];
  uint32_t shifts[max_rank];
  int64_t strides[N][max_rank];
};

template <int N>
struct Offsets {
  int64_t of[N];
};

// Finds the operands' elements for the index-th one of the walk.
template <int N>
__device__ Offsets<N> locate(const Strided<N>& walk, int64_t index) {
  Offsets<N> offsets = {};
  if (walk.count <= INT32_MAX) {
    uint32_t rest = static_cast<uint32_t>(index);
#pragma unroll 1
    for (int64_t d = walk.rank - 1; d >= 0; --d) {
      const uint32_t high = static_cast<uint32_t>(uint64_t{rest} * walk.multipliers[d] >> 32);
      const uint32_t quotient = (rest + high) >> walk.shifts[d];
      const uint32_t coordinate = rest - quotient * static_cast<uint32_t>(walk.extents[d]);
      rest = quotient;
      for (int k = 0; k < N; ++k) offsets.of[k] += coordinate * walk.strides[k][d];
    }
  } else {
    uint64_t rest = static_cast<uint64_t>(index);
#pragma unroll 1
    for (int64_t d = walk.rank - 1; d >= 0; --d) {
      const uint64_t extent = static_cast<uint64_t>(walk.extents[d]);
      const int64_t coordinate = static_cast<int64_t>(rest % extent);
      rest /= extent;
      for (int k = 0; k < N; ++k) offsets.of[k] += coordinate * walk.strides[k][d];
    }
  }
  return offsets;
}

}  // namespace kcache
