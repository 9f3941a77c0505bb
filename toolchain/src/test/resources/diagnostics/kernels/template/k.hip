#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
template <typename T> __device__ T twice(T x) { return x.value * 2; }
template <typename T> __device__ T four(T x) { return twice(twice(x)); }
__global__ void k(float* p) { *p = four(*p); }
