// SPDX-License-Identifier: Apache-2.0
//
// Layer normalisation by Welford's method, forward.
#include <hip/hip_runtime.h>

struct Moments {
  float mean;
  float squares;
  float count;
};

__device__ Moments join(Moments a, Moments b) {
  const float count = a.count + b.count;
  if (count == 0.0f) return a;
  const float delta = b.mean - a.mean;
  return Moments{a.mean + delta * b.count / count,
                 a.squares + b.squares + delta * delta * a.count * b.count / count, count};
}

extern "C" __global__ __launch_bounds__(256) void layernorm(int columns, float epsilon,
                                                            const float* x, const float* gamma,
                                                            const float* beta, float* y) {
  __shared__ Moments shared[256];
  const float* row = x + (long long)blockIdx.x * columns;
  Moments mine = {0.0f, 0.0f, 0.0f};
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    mine.count += 1.0f;
    const float delta = row[i] - mine.mean;
    mine.mean += delta / mine.count;
    mine.squares += delta * (row[i] - mine.mean);
  }
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      shared[threadIdx.x] = join(shared[threadIdx.x], shared[threadIdx.x + half]);
    }
    __syncthreads();
  }
  const float mean = shared[0].mean;
  const float scale = rsqrtf(shared[0].squares / columns + epsilon);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    y[(long long)blockIdx.x * columns + i] = (row[i] - mean) * scale * gamma[i] + beta[i];
  }
}
