// SPDX-License-Identifier: Apache-2.0
//
// The first kernel that everybody writes.
#include <hip/hip_runtime.h>

extern "C" __global__ void vadd(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
