// SPDX-License-Identifier: Apache-2.0
//
// Reductions over a block, by shuffles within a wavefront and shared memory between them.
#pragma once

struct Sum {
  static __device__ float start() { return 0.0f; }
  static __device__ float join(float a, float b) { return a + b; }
};

struct Max {
  static __device__ float start() { return -3.402823466e+38f; }
  static __device__ float join(float a, float b) { return fmaxf(a, b); }
};

template <class Operator>
__device__ float reduce_wave(float value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value = Operator::join(value, __shfl_down(value, offset));
  }
  return value;
}

// Every thread gets the result.
template <class Operator>
__device__ float reduce_block(float value) {
  __shared__ float partial[33];
  const int lane = threadIdx.x % warpSize;
  const int wave = threadIdx.x / warpSize;
  const int waves = (blockDim.x + warpSize - 1) / warpSize;
  value = reduce_wave<Operator>(value);
  __syncthreads();
  if (lane == 0) partial[wave] = value;
  __syncthreads();
  if (wave == 0) {
    value = reduce_wave<Operator>(lane < waves ? partial[lane] : Operator::start());
    if (lane == 0) partial[32] = value;
  }
  __syncthreads();
  return partial[32];
}
