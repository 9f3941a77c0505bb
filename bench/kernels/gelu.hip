// SPDX-License-Identifier: Apache-2.0
//
// GELU, exact and by tanh, with its gradient.
#include <hip/hip_runtime.h>

__device__ float by_tanh(float x) {
  return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

extern "C" __global__ void gelu(int n, const float* __restrict__ x, float* __restrict__ y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.7071067812f));
  }
}

extern "C" __global__ void gelu_tanh(int n, const float* __restrict__ x, float* __restrict__ y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = by_tanh(x[i]);
  }
}

extern "C" __global__ void gelu_backward(int n, const float* __restrict__ x,
                                         const float* __restrict__ dy, float* __restrict__ dx) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float density = 0.3989422804f * expf(-0.5f * x[i] * x[i]);
    const float distribution = 0.5f * (1.0f + erff(x[i] * 0.7071067812f));
    dx[i] = dy[i] * (distribution + x[i] * density);
  }
}
