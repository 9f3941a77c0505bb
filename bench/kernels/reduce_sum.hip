// SPDX-License-Identifier: Apache-2.0
//
// A sum in two launches, and one that ends with an atomic.
#include <hip/hip_runtime.h>

#include "block.h"

extern "C" __global__ void partial_sums(int n, const float* in, float* partial) {
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  sum = reduce_block<Sum>(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

extern "C" __global__ void atomic_sum(int n, const float4* in, float* total) {
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 four = in[i];
    sum += four.x + four.y + four.z + four.w;
  }
  sum = reduce_block<Sum>(sum);
  if (threadIdx.x == 0) atomicAdd(total, sum);
}
