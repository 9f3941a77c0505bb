// SPDX-License-Identifier: Apache-2.0
//
// A transposition through shared memory that is padded against bank conflicts, for three sizes of elements.
#include <hip/hip_runtime.h>

template <class T>
__device__ void transpose(int rows, int columns, const T* in, T* out) {
  __shared__ T tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) {
    if (x < columns && y + i < rows) {
      tile[threadIdx.y + i][threadIdx.x] = in[(long long)(y + i) * columns + x];
    }
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) {
    if (x < rows && y + i < columns) {
      out[(long long)(y + i) * rows + x] = tile[threadIdx.x][threadIdx.y + i];
    }
  }
}

#define TRANSPOSE(name, T)                                                               \
  extern "C" __global__ void name(int rows, int columns, const T* in, T* out) {          \
    transpose<T>(rows, columns, in, out);                                                \
  }

TRANSPOSE(transpose16, unsigned short)
TRANSPOSE(transpose32, unsigned int)
TRANSPOSE(transpose64, unsigned long long)
