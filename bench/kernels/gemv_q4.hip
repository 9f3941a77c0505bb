// SPDX-License-Identifier: Apache-2.0
//
// A matrix of 4-bit weights, 32 to a scale, times a vector: what a language model does for each token.
#include <hip/hip_runtime.h>
#ifndef __HIPCC_RTC__  // hiprtc has it built in, and that of HIP 5.2 fails if it comes twice
#include <hip/hip_fp16.h>
#endif

struct Block {
  __half scale;
  unsigned char quants[16];
};

extern "C" __global__ void gemv_q4(int columns, const Block* matrix, const float* vector,
                                   float* out) {
  const int blocks = columns / 32;
  const Block* row = matrix + (long long)blockIdx.x * blocks;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < blocks; i += warpSize) {
    const float* v = vector + i * 32;
    float part = 0.0f;
    for (int j = 0; j < 16; ++j) {
      const int both = row[i].quants[j];
      part += static_cast<float>((both & 15) - 8) * v[j];
      part += static_cast<float>((both >> 4) - 8) * v[j + 16];
    }
    sum += __half2float(row[i].scale) * part;
  }
  for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_xor(sum, offset);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
