// SPDX-License-Identifier: Apache-2.0
//
// A convolution of 3 by 3 with its weights in constant memory and a halo in shared memory.
#include <hip/hip_runtime.h>

constexpr int tile = 16;
__constant__ float weights[64 * 9];

extern "C" __global__ void conv2d_3x3(int height, int width, int channels, const float* in,
                                      float* out) {
  __shared__ float patch[tile + 2][tile + 2];
  const int x = blockIdx.x * tile + threadIdx.x;
  const int y = blockIdx.y * tile + threadIdx.y;
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c) {
    const float* plane = in + (long long)c * height * width;
    for (int j = threadIdx.y; j < tile + 2; j += tile) {
      for (int i = threadIdx.x; i < tile + 2; i += tile) {
        const int px = blockIdx.x * tile + i - 1;
        const int py = blockIdx.y * tile + j - 1;
        const bool inside = px >= 0 && px < width && py >= 0 && py < height;
        patch[j][i] = inside ? plane[py * width + px] : 0.0f;
      }
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 3; ++j) {
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        sum += weights[c * 9 + j * 3 + i] * patch[threadIdx.y + j][threadIdx.x + i];
      }
    }
    __syncthreads();
  }
  if (x < width && y < height) out[y * width + x] = sum;
}
