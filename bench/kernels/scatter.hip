// SPDX-License-Identifier: Apache-2.0
//
// Rows added to others by index, and a maximum of floats by compare and swap.
#include <hip/hip_runtime.h>

__device__ void atomic_max(float* address, float value) {
  int* bits = reinterpret_cast<int*>(address);
  int old = *bits;
  while (__int_as_float(old) < value) {
    const int seen = atomicCAS(bits, old, __float_as_int(value));
    if (seen == old) break;
    old = seen;
  }
}

extern "C" __global__ void scatter_add(int rows, int columns, const long long* index,
                                       const float* in, float* out) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (long long)rows * columns) return;
  atomicAdd(&out[index[i / columns] * columns + i % columns], in[i]);
}

extern "C" __global__ void scatter_max(int rows, int columns, const long long* index,
                                       const float* in, float* out) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (long long)rows * columns) return;
  atomic_max(&out[index[i / columns] * columns + i % columns], in[i]);
}
