// SPDX-License-Identifier: Apache-2.0
//
// Casts between float and bfloat16, eight at a time.
#include <hip/hip_runtime.h>

#include "bf16.h"

struct alignas(16) Eight {
  bf16 values[8];
};

extern "C" __global__ void to_bf16(int packs, const float4* in, Eight* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= packs) return;
  const float4 low = in[2 * i];
  const float4 high = in[2 * i + 1];
  out[i] = Eight{{narrow(low.x), narrow(low.y), narrow(low.z), narrow(low.w), narrow(high.x),
                  narrow(high.y), narrow(high.z), narrow(high.w)}};
}

extern "C" __global__ void from_bf16(int packs, const Eight* in, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= packs) return;
  const Eight eight = in[i];
  const bf16* v = eight.values;
  out[2 * i] = make_float4(widen(v[0]), widen(v[1]), widen(v[2]), widen(v[3]));
  out[2 * i + 1] = make_float4(widen(v[4]), widen(v[5]), widen(v[6]), widen(v[7]));
}
