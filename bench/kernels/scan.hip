// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums: Blelloch's sweep up and down in a block, then the blocks' offsets.
#include <hip/hip_runtime.h>

constexpr int elements = 1024;

extern "C" __global__ __launch_bounds__(512) void scan_blocks(int n, const int* in, int* out,
                                                              int* sums) {
  __shared__ int shared[elements];
  const int base = blockIdx.x * elements;
  const int thread = threadIdx.x;
  for (int i = thread; i < elements; i += 512) shared[i] = base + i < n ? in[base + i] : 0;
  int offset = 1;
  for (int d = elements / 2; d > 0; d /= 2) {
    __syncthreads();
    if (thread < d) {
      shared[offset * (2 * thread + 2) - 1] += shared[offset * (2 * thread + 1) - 1];
    }
    offset *= 2;
  }
  if (thread == 0) {
    sums[blockIdx.x] = shared[elements - 1];
    shared[elements - 1] = 0;
  }
  for (int d = 1; d < elements; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (thread < d) {
      const int left = offset * (2 * thread + 1) - 1;
      const int right = offset * (2 * thread + 2) - 1;
      const int carried = shared[left];
      shared[left] = shared[right];
      shared[right] += carried;
    }
  }
  __syncthreads();
  for (int i = thread; i < elements && base + i < n; i += 512) out[base + i] = shared[i];
}

extern "C" __global__ void add_offsets(int n, const int* offsets, int* out) {
  const int i = blockIdx.x * elements + threadIdx.x;
  for (int j = i; j < min(n, (int)(blockIdx.x + 1) * elements); j += blockDim.x) {
    out[j] += offsets[blockIdx.x];
  }
}
