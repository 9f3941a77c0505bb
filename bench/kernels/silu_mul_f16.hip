// SPDX-License-Identifier: Apache-2.0
//
// The gate of a transformer's feed-forward layer: silu(a) * b, two halves at a time.
#include <hip/hip_runtime.h>
#ifndef __HIPCC_RTC__  // hiprtc has it built in, and that of HIP 5.2 fails if it comes twice
#include <hip/hip_fp16.h>
#endif

extern "C" __global__ void silu_mul(int pairs, const __half2* gate, const __half2* up,
                                    __half2* out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
    const float2 g = __half22float2(gate[i]);
    const float2 u = __half22float2(up[i]);
    const float x = g.x / (1.0f + __expf(-g.x)) * u.x;
    const float y = g.y / (1.0f + __expf(-g.y)) * u.y;
    out[i] = __floats2half2_rn(x, y);
  }
}
