#include <hip/hip_runtime.h>

struct Pair { float a; double b; };

extern "C" __global__ void vadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ __launch_bounds__(256) void reverse(float* x, Pair pair, short by) {
  __shared__ float tile[256];
  extern __shared__ float more[];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[255 - threadIdx.x] + pair.a + by + more[0];
}

template <typename T> __global__ void scratch(T* x, int n) {
  volatile T local[32];
  for (int i = 0; i < n; i++) local[i & 31] = x[i];
  x[0] = local[n & 31];
}
template __global__ void scratch<float>(float*, int);
