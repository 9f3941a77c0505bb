// SPDX-License-Identifier: Apache-2.0
//
// A sparse matrix times a vector, a wavefront for each row.
#include <hip/hip_runtime.h>

extern "C" __global__ void spmv_csr(int rows, const int* starts, const int* columns,
                                    const double* values, const double* x, double* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  const int lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  double sum = 0.0;
  for (int i = starts[row] + lane; i < starts[row + 1]; i += warpSize) {
    sum += values[i] * x[columns[i]];
  }
  for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down(sum, offset);
  if (lane == 0) y[row] = sum;
}
