// SPDX-License-Identifier: Apache-2.0
//
// A histogram of bytes: shared counters for each block, then global atomics.
#include <hip/hip_runtime.h>

extern "C" __global__ __launch_bounds__(256) void histogram(int words, const unsigned* data,
                                                            unsigned* bins) {
  __shared__ unsigned counts[4][256];
  for (int i = 0; i < 4; ++i) counts[i][threadIdx.x] = 0;
  __syncthreads();
  const int copy = threadIdx.x & 3;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    const unsigned word = data[i];
    atomicAdd(&counts[copy][word & 255], 1u);
    atomicAdd(&counts[copy][word >> 8 & 255], 1u);
    atomicAdd(&counts[copy][word >> 16 & 255], 1u);
    atomicAdd(&counts[copy][word >> 24], 1u);
  }
  __syncthreads();
  const unsigned sum = counts[0][threadIdx.x] + counts[1][threadIdx.x] + counts[2][threadIdx.x] +
                       counts[3][threadIdx.x];
  if (sum != 0) atomicAdd(&bins[threadIdx.x], sum);
}
