// SPDX-License-Identifier: Apache-2.0
//
// The quantized family: matrices whose weights are stored in blocks, as GGUF files have them.
//
//   quantized_dequantize_<T>_<format>  (int64_t count, const Block* weights, T* out)
//   quantized_matvec_<T>_<format>      (int64_t rows, int64_t columns, const Block* weights,
//                                       const T* x, T* y)
//
// with <T> one of f32, f16, bf16 and <format> one of q4_0, q8_0, q4_k, q6_k; KCACHE_TYPE is both,
// such as f32_q4_0. quant_formats.h describes the formats. Rows follow each other without a gap,
// each of whole blocks; the first one needs an address that 2 divides, no more, but matvec is faster
// where 16 divides it and the length of a row.
//
// dequantize: any one-dimensional launch is right. Weights are computed in f32, from left to right;
// all of it is exact but for the difference of q4_k, which rounds once, and so does the cast to f16
// or bf16. Scales that are infinite or NaN give what IEEE 754 says; the sign and payload of a NaN
// are not specified.
//
// matvec: y[row] = sum of weight * x over the row, launched in blocks of 128 threads, of which any
// number is right. columns is less than 2^31. y may overlap neither x nor the weights. The sum is
// made in f32, in an order that is the same everywhere. With e = 2^-24 and n = columns / 4096 + 40,
// it differs from the exact one by at most n e / (1 - n e) times the sum of |weight * x|, if nothing
// overflows or gets subnormal on the way; then it is rounded to T. A weight of q4_0, q4_k and q6_k is
// a difference, and both products with x count for themselves, such as |d q x| + |d 8 x|.
//
// A block of threads multiplies some rows, one slice of columns after the other. It copies so many
// rows of the slice to shared memory as make a tile, and each thread multiplies its share of a row,
// for which it keeps x in registers. Meanwhile the next tile is under way.
#include <hip/hip_runtime.h>
#include <stdint.h>

// Before unit.h, which names one of its types.
#include "quant_formats.h"

#include "elementwise.h"

namespace kcache {

using Number = Element::Number;
using Block = Element::Block;
using Stored = Format<Block>;

// Neighbours, at once if an address allows it.
template <int size, class T>
__device__ Pack<T, size> neighbours(const T* first, bool packed) {
  if (packed) return *reinterpret_cast<const Pack<T, size>*>(first);
  Pack<T, size> pack;
  for (int k = 0; k < size; ++k) pack.elements[k] = first[k];
  return pack;
}

__device__ void dequantize(int64_t count, const Block* blocks, Number* out) {
  const bool packed = starts_pack<Number, 4>(out);
  for (int64_t i = 4 * grid_thread(); i < count; i += 4 * grid_threads()) {
    const Block& block = blocks[i / Stored::weights];
    const int first = static_cast<int>(i % Stored::weights);
    Pack<Number, 4> weights;
    for (int k = 0; k < 4; ++k) weights.elements[k] = Number(Stored::weight(block, first + k));
    if (packed) {
      *reinterpret_cast<Pack<Number, 4>*>(out + i) = weights;
    } else {
      for (int k = 0; k < 4; ++k) out[i + k] = weights.elements[k];
    }
  }
}

constexpr int block_size = 128;
constexpr int team_size = 64;  // threads that share a row
constexpr int teams = block_size / team_size;
constexpr int tile_rows = teams * Stored::rows_at_once;
constexpr int group_rows = 32;  // of a block of threads, at most
constexpr int slice = team_size * Share::weights;
constexpr int slice_blocks = slice / Stored::weights;
constexpr int row_words = slice_blocks * sizeof(Block) / sizeof(Words);
constexpr int tile_words = tile_rows * row_words;
constexpr int loads = (tile_words + block_size - 1) / block_size;  // of a thread, for a tile
static_assert(slice_blocks * sizeof(Block) % sizeof(Words) == 0);

constexpr int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// x is handed to the threads in parts. In shared memory, where each four elements are a word, there
// is a gap after each share: otherwise 8 neighbouring threads would read the same banks.
constexpr int part_of_x = slice / 2;
__device__ constexpr int place(int column) { return column / 4 + column / Share::weights; }

__device__ void load_share(const Number* x, int columns, Words* shared, Share& share) {
  constexpr int reads = part_of_x / 4 / block_size;
  constexpr int lanes = part_of_x / Share::weights;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % team_size;
  const bool packed = starts_pack<Number, 4>(x);
  Words values[reads];
  const auto read = [&](int begin) {
#pragma unroll
    for (int k = 0; k < reads; ++k) {
      const int i = begin + 4 * (thread + k * block_size);
      values[k] = Words{};
      if (i < columns) {
        const Pack<Number, 4> pack = neighbours<4>(x + i, packed);
        for (int j = 0; j < 4; ++j) values[k][j] = math::to_bits(widen(pack.elements[j]));
      }
    }
  };
  Words own[Share::weights / 4] = {};
  read(0);
#pragma unroll
  for (int begin = 0; begin < slice; begin += part_of_x) {
#pragma unroll
    for (int k = 0; k < reads; ++k) {
      shared[place(4 * thread) + place(4 * k * block_size)] = values[k];
    }
    if (begin + part_of_x < slice) read(begin + part_of_x);
    __syncthreads();
    if (lane / lanes == begin / part_of_x) {
#pragma unroll
      for (int k = 0; k < Share::weights; k += 4) {
        own[k / 4] = shared[place(Stored::column(lane % lanes, k))];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int k = 0; k < Share::weights; ++k) {
    share.x[k] = math::from_bits(own[k / 4][k % 4]);
  }
  share.add_up();
  share.whole = (lane + 1) * Share::weights <= columns;
}

// Where the words of a tile are that a thread reads, in units of 16 bits from the tile's first one
// on. In shared memory they follow each other without a gap.
__device__ void place_words(int row_words, int stride, uint32_t (&offsets)[loads]) {
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    const int i = static_cast<int>(threadIdx.x) + k * block_size;
    const uint32_t row = i / row_words;
    offsets[k] = row * stride + i % row_words * 8;
  }
}

// Begins to read the words of a tile. Where the matrix has ended, its end is read once more.
__device__ void fetch(const uint16_t* units, int64_t left, int count, bool aligned,
                      const uint32_t (&offsets)[loads], Words (&to)[loads]) {
  const uint32_t last = static_cast<uint32_t>(least(left, UINT32_MAX));
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    if (static_cast<int>(threadIdx.x) + k * block_size >= count) continue;
    if (aligned) {
      const uint32_t at = offsets[k] < last ? offsets[k] : last - 8;
      to[k] = *reinterpret_cast<const Words*>(units + at);
    } else {
#pragma unroll
      for (uint32_t j = 0; j < 4; ++j) {
        const uint32_t at = offsets[k] + 2 * j;
        to[k][j] = units[at < last ? at : last - 1] |
                   uint32_t{units[at + 1 < last ? at + 1 : last - 1]} << 16;
      }
    }
  }
}

__device__ void matvec(int64_t rows, int64_t columns, const Block* weights, const Number* x,
                       Number* y) {
  __shared__ Words tile[larger(tile_words, place(part_of_x))];
  __shared__ float sums[group_rows][team_size + 1];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % team_size;
  const int team = thread / team_size;
  const int blocks = static_cast<int>(columns / Stored::weights);
  const bool aligned = starts_words(weights) && blocks * sizeof(Block) % sizeof(Words) == 0;
  // So many rows that each block of threads has one group of them, or as many as there may be.
  const int64_t tiles = (rows + tile_rows - 1) / tile_rows;
  const int step = static_cast<int>(
      least((tiles + gridDim.x - 1) / gridDim.x * tile_rows, group_rows));
  const int stride = blocks * static_cast<int>(sizeof(Block) / 2);
  Words next[loads];
  uint32_t offsets[loads];
  Share share;
#ifdef __HIP_PLATFORM_NVIDIA__
  share.zero = static_cast<uint32_t>(columns >> 32);  // columns is less than 2^31
#else
  share.zero = 0;
#endif
  for (int64_t first = int64_t{blockIdx.x} * step; first < rows;
       first += int64_t{gridDim.x} * step) {
    const int group = static_cast<int>(least(rows - first, step));
    for (int row = team; row < step; row += teams) sums[row][lane] = 0;
    __syncthreads();
    for (int begin = 0; begin < blocks; begin += slice_blocks) {
      const int width = static_cast<int>(least(blocks - begin, slice_blocks));
      const int bytes = width * static_cast<int>(sizeof(Block));
      const int words = (bytes + 15) / 16;
      const int64_t start = first * stride + begin * static_cast<int>(sizeof(Block) / 2);
      const uint16_t* from = reinterpret_cast<const uint16_t*>(weights) + start;
      int64_t left = rows * stride - start;
      place_words(words, stride, offsets);
      fetch(from, left, tile_rows * words, aligned, offsets, next);
      const int column = begin * Stored::weights;
      load_share(x + column, static_cast<int>(columns) - column, tile, share);
#pragma unroll 1
      for (int row = 0; row < group; row += tile_rows) {
#pragma unroll
        for (int k = 0; k < loads; ++k) {
          const int i = thread + k * block_size;
          if (i < tile_rows * words) tile[i] = next[k];
        }
        from += int64_t{tile_rows} * stride;
        left -= int64_t{tile_rows} * stride;
        // Before the barrier: behind it, compilers would put it off.
        if (row + tile_rows < group) {
          fetch(from, left, tile_rows * words, aligned, offsets, next);
        }
        __syncthreads();
        if (lane * Share::weights < width * Stored::weights) {
#pragma unroll
          for (int r = 0; r < Stored::rows_at_once; ++r) {
            const int own = team + r * teams;
            sums[row + own][lane] += Stored::dot(tile + own * words, lane, share);
          }
        }
        __syncthreads();
      }
    }
    constexpr int parts = 8;
    const int part = thread % parts;
    for (int row = thread / parts; row < group; row += block_size / parts) {
      float sum = 0;
      for (int k = part; k < team_size; k += parts) sum += sums[row][k];
      sums[row][part] = sum;
    }
    __syncthreads();
    if (thread < group) {
      float sum = 0;
      for (int k = 0; k < parts; ++k) sum += sums[thread][k];
      y[first + thread] = Number(sum);
    }
    __syncthreads();  // until the sums have been read
  }
}

#ifdef __HIP_PLATFORM_NVIDIA__
#define KCACHE_MATVEC_BOUNDS __launch_bounds__(block_size, 4)  // blocks of a multiprocessor
#else
#define KCACHE_MATVEC_BOUNDS __launch_bounds__(block_size)
#endif

extern "C" __global__ void KCACHE_NAME(quantized_dequantize)(int64_t count, const Block* weights,
                                                             Number* out) {
  dequantize(count, weights, out);
}

extern "C" __global__ void KCACHE_MATVEC_BOUNDS KCACHE_NAME(quantized_matvec)(
    int64_t rows, int64_t columns, const Block* weights, const Number* x, Number* y) {
  matvec(rows, columns, weights, x, y);
}

}  // namespace kcache
