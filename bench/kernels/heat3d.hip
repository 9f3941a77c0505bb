// SPDX-License-Identifier: Apache-2.0
//
// Heat in three dimensions, in double precision: seven points, planes kept in registers.
#include <hip/hip_runtime.h>

extern "C" __global__ void heat3d(int nx, int ny, int nz, double factor,
                                  const double* __restrict__ in, double* __restrict__ out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1) return;
  const long long plane = (long long)nx * ny;
  const long long base = (long long)y * nx + x;
  double below = in[base];
  double here = in[base + plane];
  for (int z = 1; z < nz - 1; ++z) {
    const long long at = base + z * plane;
    const double above = in[at + plane];
    const double around = in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx];
    out[at] = here + factor * (around + above + below - 6.0 * here);
    below = here;
    here = above;
  }
}
