// SPDX-License-Identifier: Apache-2.0
struct Mixed {
  char c;
  double d;
};

extern "C" __global__ void vadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    c[i] = a[i] + b[i];
  }
}

extern "C" __global__ void __launch_bounds__(256) scale(Mixed m, short h, float* p) {
  __shared__ float tile[256];
  tile[threadIdx.x] = p[threadIdx.x] * (float)m.d;
  __syncthreads();
  p[threadIdx.x] = tile[255 - threadIdx.x] + h + m.c;
}

extern "C" __global__ void nothing() {}
