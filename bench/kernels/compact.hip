// SPDX-License-Identifier: Apache-2.0
//
// Keeps the elements above a threshold: a ballot in each wavefront, one atomic for all of it.
#include <hip/hip_runtime.h>

extern "C" __global__ void compact(int n, float threshold, const float* in, float* out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % warpSize;
  const bool keep = i < n && in[i] > threshold;
  const unsigned long long kept = __ballot(keep);
  int base = 0;
  if (lane == 0 && kept != 0) base = atomicAdd(count, __popcll(kept));
  base = __shfl(base, 0);
  if (keep) out[base + __popcll(kept & ((1ull << lane) - 1))] = in[i];
}
