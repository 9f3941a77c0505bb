// SPDX-License-Identifier: Apache-2.0
//
// Sorts keys with their values, 1024 to a block.
#include <hip/hip_runtime.h>

extern "C" __global__ __launch_bounds__(512) void bitonic_sort(int n, unsigned* keys,
                                                               unsigned* values) {
  __shared__ unsigned key[1024];
  __shared__ unsigned value[1024];
  const int base = blockIdx.x * 1024;
  for (int i = threadIdx.x; i < 1024; i += 512) {
    key[i] = base + i < n ? keys[base + i] : ~0u;
    value[i] = base + i < n ? values[base + i] : 0u;
  }
  for (int size = 2; size <= 1024; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int i = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      const bool up = (i & size) == 0;
      if ((key[i] > key[i + stride]) == up) {
        const unsigned k = key[i];
        const unsigned v = value[i];
        key[i] = key[i + stride];
        value[i] = value[i + stride];
        key[i + stride] = k;
        value[i + stride] = v;
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024 && base + i < n; i += 512) {
    keys[base + i] = key[i];
    values[base + i] = value[i];
  }
}
