// SPDX-License-Identifier: Apache-2.0
//
// Softmax over rows, stable, one block for each row.
#include <hip/hip_runtime.h>

#include "block.h"

__device__ float load(float x) { return x; }
__device__ float store(float y) { return y; }

extern "C" __global__ void softmax_f32(int columns, float scale, const float* in, float* out) {
  const long long begin = (long long)blockIdx.x * columns;
  float greatest = -3.402823466e+38f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    greatest = fmaxf(greatest, scale * load(in[begin + i]));
  }
  greatest = reduce_block<Max>(greatest);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    sum += expf(scale * load(in[begin + i]) - greatest);
  }
  sum = reduce_block<Sum>(sum);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    out[begin + i] = store(expf(scale * load(in[begin + i]) - greatest) / sum);
  }
}
