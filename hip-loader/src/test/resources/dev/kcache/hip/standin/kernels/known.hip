// SPDX-License-Identifier: Apache-2.0
//
// The kernels that the stand-in computes (kernels.c says what), for real: so that what a compiler
// says about them in the metadata is what the stand-in expects of the C ABI. And variables.
#ifndef __NVCC__
#include <hip/hip_runtime.h>
#endif

struct Pair {
  float a;
  double b;
};

__device__ int table[16] = {1, 4, 9, 16};
__device__ double zeroes[3];

extern "C" __global__ void vadd(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void scale(float* x, double by, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = (float)(x[i] * by);
}

extern "C" __global__ void mixed(signed char a, short b, int c, long d, float e, double f,
                                 double* out) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = e;
  out[5] = f;
}

extern "C" __global__ void pair(Pair value, short c, double* out) {
  out[0] = value.a;
  out[1] = value.b;
  out[2] = c;
}

extern "C" __global__ void shape(double* out) {
  out[0] = gridDim.x;
  out[1] = gridDim.y;
  out[2] = gridDim.z;
  out[3] = blockDim.x;
  out[4] = blockDim.y;
  out[5] = blockDim.z;
}

extern "C" __global__ void empty() {}

extern "C" __global__ void fault(int value) { *(volatile int*)nullptr = value; }

extern "C" __global__ __launch_bounds__(64) void bounded(int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = table[threadIdx.x & 15] + (int)zeroes[0];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// Some of the shipped kernels' names and parameters; what they compute is not needed here.
struct StridedPair {
  long numbers[26];
};

extern "C" __global__ void binary_div_f16(long, const void*, const void*, void*) {}
extern "C" __global__ void binary_mul_bf16(long, const void*, const void*, void*) {}
extern "C" __global__ void binary_minimum_f32(long, const void*, const void*, void*) {}
extern "C" __global__ void binary_div_i32(long, const void*, const void*, void*) {}
extern "C" __global__ void binary_sub_u8_strided(StridedPair, const void*, const void*, void*) {}
