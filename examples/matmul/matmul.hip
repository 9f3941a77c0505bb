// SPDX-License-Identifier: Apache-2.0
// c = a * b, matrices row by row: a is rows x depth, b is depth x columns, c is rows x columns. Block (x, y) computes
// 256 columns of row y of c; each thread sums one element.
#include <hip/hip_runtime.h>

extern "C" __global__ void __launch_bounds__(256)
    matmul(const float* a, const float* b, float* c, int rows, int columns, int depth) {
  int row = blockIdx.y;
  int column = blockIdx.x * 256 + threadIdx.x;
  if (row >= rows || column >= columns) return;
  float sum = 0;
  for (int i = 0; i < depth; i++) sum += a[row * depth + i] * b[i * columns + column];
  c[row * columns + column] = sum;
}
