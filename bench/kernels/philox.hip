// SPDX-License-Identifier: Apache-2.0
//
// Random numbers by Philox 4x32-10, uniform and normal.
#include <hip/hip_runtime.h>

__device__ uint4 philox(uint4 counter, uint2 key) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned low0 = 0xD2511F53u * counter.x;
    const unsigned high0 = __umulhi(0xD2511F53u, counter.x);
    const unsigned low1 = 0xCD9E8D57u * counter.z;
    const unsigned high1 = __umulhi(0xCD9E8D57u, counter.z);
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

__device__ float unit(unsigned bits) { return ((bits >> 8) + 0.5f) * 5.9604645e-8f; }

extern "C" __global__ void uniform(int n, uint2 seed, unsigned offset, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint4 r = philox(make_uint4(i, offset, 0, 0), seed);
  out[i] = make_float4(unit(r.x), unit(r.y), unit(r.z), unit(r.w));
}

extern "C" __global__ void normal(int n, uint2 seed, unsigned offset, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint4 r = philox(make_uint4(i, offset, 1, 0), seed);
  const float a = sqrtf(-2.0f * logf(unit(r.x)));
  const float b = sqrtf(-2.0f * logf(unit(r.z)));
  float s, c, t, d;
  sincosf(6.2831853f * unit(r.y), &s, &c);
  sincosf(6.2831853f * unit(r.w), &t, &d);
  out[i] = make_float4(a * s, a * c, b * t, b * d);
}
