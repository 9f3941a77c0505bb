// SPDX-License-Identifier: Apache-2.0
//
// The copy family: out[i] = x[i], and out[i] = value, by the bits of elements. A unit serves all types
// of a size: u8, f16, u32 and i64 stand for 1, 2, 4 and 8 bytes, which are Word here.
//
//   copy_<type>             (int64_t count, const Word* x, Word* out)
//   copy_<type>_strided     (Strided<2> walk, const Word* x, Word* out)
//   copy_<type>_transposed  (Strided<2> walk, const Word* x, Word* out)
//   fill_<type>             (int64_t count, Word value, Word* out)
//   fill_<type>_strided     (Strided<1> walk, Word value, Word* out)
//
// The strides of a walk are those of x, and then those of out, which is not contiguous here, and in
// which no place may be met twice. Any one-dimensional launch is right, but _transposed needs blocks of
// 256 threads and a walk of at least 2 dimensions. It is for walks in which out has its neighbours along
// the last dimension, and x along the one before; and right for any other.
//
// out may be x itself, if the strides are the same; it may not overlap x otherwise.
#include <hip/hip_runtime.h>
#include <stdint.h>

#include "elementwise.h"
#include "word.h"

namespace kcache {

struct Same {
  __device__ Word operator()(Word value) const { return value; }
};

struct Always {
  Word value;
  __device__ Word operator()() const { return value; }
};

// Whether each pack of a walk lies within a row and in neighbouring places of an operand.
template <int size, int N>
__device__ bool is_packed(const Strided<N>& walk, int operand, const Word* start) {
  if (walk.rank == 0) return false;
  const int64_t last = walk.rank - 1;
  bool packed = walk.extents[last] % size == 0 && walk.strides[operand][last] == 1;
#pragma unroll 1
  for (int64_t d = 0; d < last; ++d) packed = packed && walk.strides[operand][d] % size == 0;
  return packed && starts_pack<Word, size>(start);
}

extern "C" __global__ void KCACHE_NAME(copy)(int64_t count, const Word* x, Word* out) {
  map(Same(), count, out, x);
}

extern "C" __global__ void KCACHE_STRIDED_NAME(copy)(Strided<2> walk, const Word* x, Word* out) {
  constexpr int size = smaller(16 / sizeof(Word), 4);
  if (is_packed<size>(walk, 1, out)) {
    const int64_t stride = walk.strides[0][walk.rank - 1];
    for (int64_t i = grid_thread(); i < walk.count / size; i += grid_threads()) {
      const auto at = locate(walk, i * size);
      *reinterpret_cast<Pack<Word, size>*>(out + at.of[1]) = load<size>(x + at.of[0], stride);
    }
  } else {
    for (int64_t i = grid_thread(); i < walk.count; i += grid_threads()) {
      const auto at = locate(walk, i);
      out[at.of[1]] = x[at.of[0]];
    }
  }
}

extern "C" __global__ void KCACHE_NAME(fill)(int64_t count, Word value, Word* out) {
  map(Always{value}, count, out);
}

extern "C" __global__ void KCACHE_STRIDED_NAME(fill)(Strided<1> walk, Word value, Word* out) {
  for (int64_t i = grid_thread(); i < walk.count; i += grid_threads()) {
    out[locate(walk, i).of[0]] = value;
  }
}

// Tiles of as many elements of out by as many of x. With 64 each thread has enough reads under way.
constexpr int tile_side = sizeof(Word) < 8 ? 64 : 32;
// With which the rows of a tile begin in different banks of 4 bytes.
constexpr int tile_padding = sizeof(Word) < 4 ? 4 / sizeof(Word) : 1;
constexpr int block_threads = 256;
constexpr int tile_steps = tile_side * tile_side / block_threads;
constexpr int tile_lines = block_threads / tile_side;

inline __device__ int64_t smaller_of(int a, int b) { return a < b ? a : b; }

// x is read along the dimension before the last, into the columns of a tile, and out is written along
// the last.
__device__ void copy_tile(const Strided<2>& walk, int64_t plane, int64_t row, int64_t column,
                          const Word* x, Word* out) {
  __shared__ Word tile[tile_side][tile_side + tile_padding];
  const int64_t last = walk.rank - 1;
  const int64_t all_rows = walk.extents[last - 1];
  const int64_t all_columns = walk.extents[last];
  const int rows = all_rows - row < tile_side ? static_cast<int>(all_rows - row) : tile_side;
  const int columns =
      all_columns - column < tile_side ? static_cast<int>(all_columns - column) : tile_side;
  const auto at = locate(walk, (plane * all_rows + row) * all_columns + column);
  const int lane = static_cast<int>(threadIdx.x) % tile_side;
  const int line = static_cast<int>(threadIdx.x) / tile_side;

  // Each thread reads at once all that it reads, without a branch: what is beyond the edge is the
  // edge's own.
  const int64_t first = at.of[0] + smaller_of(lane, rows - 1) * walk.strides[0][last - 1];
  Word held[tile_steps];
#pragma unroll
  for (int k = 0; k < tile_steps; ++k) {
    held[k] = x[first + smaller_of(line + k * tile_lines, columns - 1) * walk.strides[0][last]];
  }
#pragma unroll
  for (int k = 0; k < tile_steps; ++k) tile[line + k * tile_lines][lane] = held[k];
  __syncthreads();
  if (lane < columns) {
    int64_t to = at.of[1] + line * walk.strides[1][last - 1] + lane * walk.strides[1][last];
#pragma unroll
    for (int k = 0; k < tile_steps; ++k) {
      if (line + k * tile_lines < rows) out[to] = tile[lane][line + k * tile_lines];
      to += tile_lines * walk.strides[1][last - 1];
    }
  }
  __syncthreads();
}

extern "C" __global__ void KCACHE_JOIN_EXPANDED(copy, KCACHE_TYPE, _transposed)(Strided<2> walk,
                                                                                const Word* x,
                                                                                Word* out) {
  const uint64_t down = (walk.extents[walk.rank - 2] + tile_side - 1) / tile_side;
  const uint64_t across = (walk.extents[walk.rank - 1] + tile_side - 1) / tile_side;
  uint64_t tiles = down * across;
  for (int64_t d = 0; d < walk.rank - 2; ++d) tiles *= walk.extents[d];
  for (uint64_t i = blockIdx.x; i < tiles; i += gridDim.x) {
    const uint64_t rest = quotient(i, across, tiles);
    const uint64_t plane = quotient(rest, down, tiles);
    copy_tile(walk, plane, (rest - plane * down) * tile_side, (i - rest * across) * tile_side, x,
              out);
  }
}

}  // namespace kcache
