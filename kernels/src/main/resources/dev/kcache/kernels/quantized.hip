// SPDX-License-Identifier: Apache-2.0
//
// The quantized family: matrices whose weights are stored in blocks, as GGUF files have them.
//
//   quantized_dequantize_<T>_<format>  (int64_t count, const Block* weights, T* out)
//   quantized_matvec_<T>_<format>      (int64_t rows, int64_t columns, const Block* weights,
//                                       const T* x, T* y)
//
// with <T> one of f32, f16, bf16 and <format> one of q4_0, q8_0, q4_k, q6_k, which is KCACHE_TYPE.
// quant_formats.h describes the formats. Rows follow each other without a gap, each of whole blocks;
// the first one needs an address that 2 divides, no more, but q4_k is faster where 16 does.
//
// dequantize: any one-dimensional launch is right. Weights are computed in f32, from left to right;
// all of it is exact but for the difference of q4_k, which rounds once, and so does the cast to f16
// or bf16. Scales that are infinite or NaN give what IEEE 754 says; the sign and payload of a NaN
// are not specified.
//
// matvec: y[row] = sum of weight * x over the row, launched in blocks of 256 threads, of which any
// number is right. columns is less than 2^31. y may overlap neither x nor the weights. The weights
// are those that dequantize gives as f32, and the sum is made in f32, in an order that is the same
// everywhere. With e = 2^-24 and n = columns / 1024 + 24, the sum differs from the exact one by at
// most n e / (1 - n e) times the sum of |weight * x|, if nothing overflows or gets subnormal on the
// way; then it is rounded to T.
#include <hip/hip_runtime.h>
#include <stdint.h>

// Before unit.h, which names one of the formats.
#include "quant_formats.h"

#include "elementwise.h"

namespace kcache {

using Stored = Format<Element>;

// Neighbours, at once if an address allows it.
template <int size, class T>
__device__ Pack<T, size> neighbours(const T* first, bool packed) {
  if (packed) return *reinterpret_cast<const Pack<T, size>*>(first);
  Pack<T, size> pack;
  for (int k = 0; k < size; ++k) pack.elements[k] = first[k];
  return pack;
}

template <class T>
__device__ void dequantize(int64_t count, const Element* blocks, T* out) {
  const bool packed = starts_pack<T, 4>(out);
  for (int64_t i = 4 * grid_thread(); i < count; i += 4 * grid_threads()) {
    const Element& block = blocks[i / Stored::weights];
    const int first = static_cast<int>(i % Stored::weights);
    Pack<T, 4> weights;
    for (int k = 0; k < 4; ++k) weights.elements[k] = T(Stored::weight(block, first + k));
    if (packed) {
      *reinterpret_cast<Pack<T, 4>*>(out + i) = weights;
    } else {
      for (int k = 0; k < 4; ++k) out[i + k] = weights.elements[k];
    }
  }
}

constexpr int block_size = 256;
constexpr int team_size = 64;  // threads that share rows
constexpr int rows_at_once = Stored::rows_at_once;

template <class T>
__device__ void load_runs(const T* x, bool packed, float* values) {
#pragma unroll
  for (int k = 0; k < Stored::runs * Stored::run; k += 4) {
    const T* from = x + k / Stored::run * Stored::stride + k % Stored::run;
    const Pack<T, 4> pack = neighbours<4>(from, packed);
    for (int j = 0; j < 4; ++j) values[k + j] = widen(pack.elements[j]);
  }
}

template <class T>
__device__ void matvec(int64_t rows, int64_t columns, const Element* weights, const T* x, T* y) {
  __shared__ float partial[rows_at_once][block_size];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % team_size;
  const int64_t blocks = columns / Stored::weights;
  const int pieces = static_cast<int>(blocks) * Stored::pieces;
  const bool packed_x = starts_pack<T, 4>(x);
  const bool aligned = starts_words(weights);
  constexpr int rows_of_block = block_size / team_size * rows_at_once;
  for (int64_t first = int64_t{blockIdx.x} * rows_of_block; first < rows;
       first += int64_t{gridDim.x} * rows_of_block) {
    const int64_t own = first + thread / team_size * rows_at_once;
    const Element* row[rows_at_once];
    float sums[rows_at_once];
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) {
      // Behind the last row, that one is read once more.
      row[r] = weights + (own + r < rows ? own + r : rows - 1) * blocks;
      sums[r] = 0;
    }
    for (int i = lane; i < pieces; i += team_size) {
      const int block = i / Stored::pieces;
      const int piece = i % Stored::pieces;
      typename Stored::Piece loaded[rows_at_once];
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r) {
        loaded[r] = Stored::load(row[r][block], piece, aligned);
      }
      float values[Stored::runs * Stored::run];
      load_runs(x + int64_t{block} * Stored::weights + Stored::begin(piece), packed_x, values);
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r) {
        sums[r] = Stored::dot(loaded[r], piece, values, sums[r]);
      }
    }
    __syncthreads();  // until the sums of the rows before have been read
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) partial[r][thread] = sums[r];
#pragma unroll 1
    for (int half = team_size / 2; half > 0; half /= 2) {
      __syncthreads();
      if (lane < half) {
#pragma unroll
        for (int r = 0; r < rows_at_once; ++r) partial[r][thread] += partial[r][thread + half];
      }
    }
    if (lane == 0) {
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r) {
        if (own + r < rows) y[own + r] = T(partial[r][thread]);
      }
    }
  }
}

#define KERNELS(T)                                                                             \
  extern "C" __global__ void KCACHE_NAME(quantized_dequantize_##T)(                            \
      int64_t count, const Element* weights, T* out) {                                         \
    dequantize(count, weights, out);                                                           \
  }                                                                                            \
  extern "C" __global__ void __launch_bounds__(block_size) KCACHE_NAME(quantized_matvec_##T)( \
      int64_t rows, int64_t columns, const Element* weights, const T* x, T* y) {               \
    matvec(rows, columns, weights, x, y);                                                      \
  }

KERNELS(f32)
KERNELS(f16)
KERNELS(bf16)

}  // namespace kcache
