// SPDX-License-Identifier: Apache-2.0
//
// The textbook's matrix product: tiles of 16 by 16 in shared memory.
#define TILE 16
#include <hip/hip_runtime.h>

extern "C" __global__ void matmul_tiled(int m, int n, int k, const float* a, const float* b,
                                        float* c) {
  __shared__ float left[TILE][TILE];
  __shared__ float right[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < (k + TILE - 1) / TILE; ++t) {
    const int i = t * TILE + threadIdx.x;
    const int j = t * TILE + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && i < k ? a[row * k + i] : 0.0f;
    right[threadIdx.y][threadIdx.x] = j < k && column < n ? b[j * n + column] : 0.0f;
    __syncthreads();
    for (int x = 0; x < TILE; ++x) sum += left[threadIdx.y][x] * right[x][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
