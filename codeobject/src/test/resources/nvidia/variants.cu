// SPDX-License-Identifier: Apache-2.0
struct Large {
  char c[20000];
};
struct Three {
  char c[3];
};
struct __align__(64) Aligned {
  float f[16];
};
template <class T>
struct Pair {
  T x, y;
};

__constant__ float table[64];
__device__ int counter = 3;
__device__ double zeros[100];
__device__ const char* text = "a { in a string \" and /* no comment";
extern __shared__ __align__(16) float tile[];
__shared__ int small[8];

extern "C" __global__ void large(Large b, float* out) {
  out[threadIdx.x] = b.c[threadIdx.x] + table[threadIdx.x & 63];
}

extern "C" __global__ void odd(Three s, char c, Aligned a, unsigned long long u, char last) {
  tile[threadIdx.x] = s.c[1] + last;
  __syncthreads();
  zeros[threadIdx.x] = tile[255 - threadIdx.x] + c + a.f[threadIdx.x & 15] + u;
  small[threadIdx.x & 7] = c;
  atomicAdd(&counter, small[1] + text[threadIdx.x]);
}

template <class T>
__global__ void __launch_bounds__(128, 2) product(T* p, Pair<T> v) {
  p[threadIdx.x] = v.x * v.y;
}
template __global__ void product<double>(double*, Pair<double>);
template __global__ void product<short>(short*, Pair<short>);

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? 1 : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void recursive(int* p) { *p = fibonacci(*p); }

extern "C" __global__ void stack(double* p, int n) {
  volatile double a[16];
  a[n & 15] = *p;
  *p = a[(n + 1) & 15];
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster(int* p) { *p = 1; }

extern "C" __global__ void __block_size__((64, 2, 1)) fixed(int* p) { *p = blockDim.x; }
#endif
