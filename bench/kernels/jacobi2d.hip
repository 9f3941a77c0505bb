// SPDX-License-Identifier: Apache-2.0
//
// A step of Jacobi's method with its greatest change. Asserts are off, as in a release.
#define NDEBUG
#define BLOCK 32
#include <hip/hip_runtime.h>
#ifndef __HIPCC_RTC__
#include <cassert>
#else
#define assert(condition)
#endif

extern "C" __global__ void jacobi2d(int n, const double* in, double* out, unsigned long long* change) {
  __shared__ double tile[BLOCK + 2][BLOCK + 2];
  const int x = blockIdx.x * BLOCK + threadIdx.x + 1;
  const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  assert(blockDim.x == BLOCK && blockDim.y <= BLOCK);
  const int tx = threadIdx.x + 1;
  const int ty = threadIdx.y + 1;
  const bool inside = x < n - 1 && y < n - 1;
  if (x < n && y < n) {
    tile[ty][tx] = in[y * n + x];
    if (tx == 1) tile[ty][0] = in[y * n + x - 1];
    if (ty == 1) tile[0][tx] = in[(y - 1) * n + x];
    if (inside && (tx == BLOCK || x == n - 2)) tile[ty][tx + 1] = in[y * n + x + 1];
    if (inside && (ty == (int)blockDim.y || y == n - 2)) tile[ty + 1][tx] = in[(y + 1) * n + x];
  }
  __syncthreads();
  if (!inside) return;
  const double next =
      0.25 * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
  out[y * n + x] = next;
  // Numbers that are not negative are ordered as their bits are.
  atomicMax(change, static_cast<unsigned long long>(__double_as_longlong(fabs(next - tile[ty][tx]))));
}
