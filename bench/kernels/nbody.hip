// SPDX-License-Identifier: Apache-2.0
//
// Forces between all pairs of bodies, tile by tile.
#include <hip/hip_runtime.h>

extern "C" __global__ __launch_bounds__(256) void nbody(int n, float softening, float step,
                                                        const float4* __restrict__ bodies,
                                                        float4* __restrict__ velocities) {
  __shared__ float4 tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = i < n ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float3 force = make_float3(0.0f, 0.0f, 0.0f);
  for (int base = 0; base < n; base += 256) {
    const int j = base + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; ++k) {
      const float dx = tile[k].x - me.x;
      const float dy = tile[k].y - me.y;
      const float dz = tile[k].z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      const float weight = tile[k].w * inverse * inverse * inverse;
      force.x += weight * dx;
      force.y += weight * dy;
      force.z += weight * dz;
    }
    __syncthreads();
  }
  if (i < n) {
    velocities[i].x += step * force.x;
    velocities[i].y += step * force.y;
    velocities[i].z += step * force.z;
  }
}
