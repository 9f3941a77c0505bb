// SPDX-License-Identifier: Apache-2.0
//
// Attention of one query over a cache of keys and values, with the running maximum of flash attention.
#include <hip/hip_runtime.h>
#ifndef __HIPCC_RTC__  // hiprtc has it built in, and that of HIP 5.2 fails if it comes twice
#include <hip/hip_fp16.h>
#endif

#include "block.h"

constexpr int head = 128;

extern "C" __global__ __launch_bounds__(128) void attention_decode(
    int length, float scale, const __half* query, const __half* keys, const __half* values,
    __half* out) {
  const int lane = threadIdx.x;
  const float q = __half2float(query[blockIdx.x * head + lane]) * scale;
  const __half* key = keys + (long long)blockIdx.x * length * head;
  const __half* value = values + (long long)blockIdx.x * length * head;
  float greatest = -3.402823466e+38f;
  float sum = 0.0f;
  float result = 0.0f;
  for (int t = 0; t < length; ++t) {
    const float score = reduce_block<Sum>(q * __half2float(key[t * head + lane]));
    const float next = fmaxf(greatest, score);
    const float fade = __expf(greatest - next);
    const float weight = __expf(score - next);
    sum = sum * fade + weight;
    result = result * fade + weight * __half2float(value[t * head + lane]);
    greatest = next;
  }
  out[blockIdx.x * head + lane] = __float2half(result / sum);
}
