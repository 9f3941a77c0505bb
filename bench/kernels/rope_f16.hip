// SPDX-License-Identifier: Apache-2.0
//
// Rotary position embedding, in place.
#include <hip/hip_runtime.h>
#ifndef __HIPCC_RTC__  // hiprtc has it built in, and that of HIP 5.2 fails if it comes twice
#include <hip/hip_fp16.h>
#endif

extern "C" __global__ void rope(int heads, int dimension, float base, const int* positions,
                                __half* x) {
  const int half_dimension = dimension / 2;
  __half* row = x + ((long long)blockIdx.x * heads + blockIdx.y) * dimension;
  for (int i = threadIdx.x; i < half_dimension; i += blockDim.x) {
    const float angle = positions[blockIdx.x] * powf(base, -2.0f * i / dimension);
    float sine;
    float cosine;
    sincosf(angle, &sine, &cosine);
    const float a = __half2float(row[i]);
    const float b = __half2float(row[i + half_dimension]);
    row[i] = __float2half(a * cosine - b * sine);
    row[i + half_dimension] = __float2half(a * sine + b * cosine);
  }
}
