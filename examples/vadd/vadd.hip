// SPDX-License-Identifier: Apache-2.0
// c[i] = a[i] + b[i] for i < count, in blocks of 256 threads.
#include <hip/hip_runtime.h>

extern "C" __global__ void __launch_bounds__(256)
    vadd(const float* a, const float* b, float* c, int count) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < count) c[i] = a[i] + b[i];
}
