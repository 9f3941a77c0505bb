// SPDX-License-Identifier: Apache-2.0
//
// Softmax over rows, stable, one block for each row.
#include <hip/hip_runtime.h>
#ifndef __HIPCC_RTC__  // hiprtc has it built in, and that of HIP 5.2 fails if it comes twice
#include <hip/hip_fp16.h>
#endif

#include "block.h"

__device__ float load(__half x) { return __half2float(x); }
__device__ __half store(float y) { return __float2half(y); }

extern "C" __global__ void softmax_f16(int columns, float scale, const __half* in, __half* out) {
  const long long begin = (long long)blockIdx.x * columns;
  float greatest = -3.402823466e+38f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    greatest = fmaxf(greatest, scale * load(in[begin + i]));
  }
  greatest = reduce_block<Max>(greatest);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    sum += expf(scale * load(in[begin + i]) - greatest);
  }
  sum = reduce_block<Sum>(sum);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    out[begin + i] = store(expf(scale * load(in[begin + i]) - greatest) / sum);
  }
}
