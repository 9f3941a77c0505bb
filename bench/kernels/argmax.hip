// SPDX-License-Identifier: Apache-2.0
//
// The greatest element of each row and where it is; of equal ones the first.
#include <hip/hip_runtime.h>

struct Best {
  float value;
  int index;
};

__device__ Best better(Best a, Best b) {
  if (b.value > a.value || (b.value == a.value && b.index < a.index)) return b;
  return a;
}

extern "C" __global__ __launch_bounds__(256) void argmax_rows(int columns, const float* in,
                                                              float* values, int* indices) {
  __shared__ Best shared[256];
  const float* row = in + (long long)blockIdx.x * columns;
  Best best = {-3.402823466e+38f, columns};
  for (int i = threadIdx.x; i < columns; i += blockDim.x) best = better(best, Best{row[i], i});
  shared[threadIdx.x] = best;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      shared[threadIdx.x] = better(shared[threadIdx.x], shared[threadIdx.x + half]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    values[blockIdx.x] = shared[0].value;
    indices[blockIdx.x] = shared[0].index;
  }
}
