// SPDX-License-Identifier: Apache-2.0
//
// Rows of floats to bytes and a scale for each row.
#include <hip/hip_runtime.h>

#include "block.h"

extern "C" __global__ void quantize(int columns, const float* in, signed char* out, float* scales) {
  const long long begin = (long long)blockIdx.x * columns;
  float greatest = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    greatest = fmaxf(greatest, fabsf(in[begin + i]));
  }
  greatest = reduce_block<Max>(greatest);
  const float inverse = greatest > 0.0f ? 127.0f / greatest : 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const int rounded = static_cast<int>(rintf(in[begin + i] * inverse));
    out[begin + i] = static_cast<signed char>(min(127, max(-127, rounded)));
  }
  if (threadIdx.x == 0) scales[blockIdx.x] = greatest / 127.0f;
}
