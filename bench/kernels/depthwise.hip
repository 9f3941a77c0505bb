// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolutions, one template for three sizes.
#include <hip/hip_runtime.h>

template <int Size>
__device__ void depthwise(int height, int width, int stride, const float* in, const float* weights,
                          float* out) {
  const int out_width = (width - 1) / stride + 1;
  const int out_height = (height - 1) / stride + 1;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= out_width * out_height) return;
  const float* plane = in + (long long)blockIdx.y * height * width;
  const int x = i % out_width * stride - Size / 2;
  const int y = i / out_width * stride - Size / 2;
  float sum = 0.0f;
#pragma unroll
  for (int b = 0; b < Size; ++b) {
#pragma unroll
    for (int a = 0; a < Size; ++a) {
      if (x + a >= 0 && x + a < width && y + b >= 0 && y + b < height) {
        sum += plane[(y + b) * width + x + a] * weights[blockIdx.y * Size * Size + b * Size + a];
      }
    }
  }
  out[(long long)blockIdx.y * out_width * out_height + i] = sum;
}

#define DEPTHWISE(size)                                                                       \
  extern "C" __global__ void depthwise_##size(int height, int width, int stride,              \
                                              const float* in, const float* weights,          \
                                              float* out) {                                   \
    depthwise<size>(height, width, stride, in, weights, out);                                 \
  }

DEPTHWISE(3)
DEPTHWISE(5)
DEPTHWISE(7)
