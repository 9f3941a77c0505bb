// SPDX-License-Identifier: Apache-2.0
//
// Halves times halves, summed up as float.
#include <hip/hip_runtime.h>
#ifndef __HIPCC_RTC__  // hiprtc has it built in, and that of HIP 5.2 fails if it comes twice
#include <hip/hip_fp16.h>
#endif

extern "C" __global__ void matmul_f16(int m, int n, int k, const __half* a, const __half* b,
                                      __half* c) {
  __shared__ __half left[32][33];
  __shared__ __half right[32][33];
  const int x = threadIdx.x % 32;
  const int y = threadIdx.x / 32;
  float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int begin = 0; begin < k; begin += 32) {
    for (int i = y; i < 32; i += 8) {
      const int row = blockIdx.y * 32 + i;
      const int column = blockIdx.x * 32 + x;
      left[i][x] = row < m && begin + x < k ? a[row * k + begin + x] : __float2half(0.0f);
      right[i][x] = begin + i < k && column < n ? b[(begin + i) * n + column] : __float2half(0.0f);
    }
    __syncthreads();
    for (int step = 0; step < 32; ++step) {
      const float q = __half2float(right[step][x]);
      for (int i = 0; i < 4; ++i) sums[i] += __half2float(left[y + 8 * i][step]) * q;
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    const int row = blockIdx.y * 32 + y + 8 * i;
    const int column = blockIdx.x * 32 + x;
    if (row < m && column < n) c[row * n + column] = __float2half(sums[i]);
  }
}
