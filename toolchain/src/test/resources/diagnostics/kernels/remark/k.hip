#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
__device__ __attribute__((noinline)) float g(float x) { return x * x; }
__device__ inline float f(float x) { return x * 2; }
__global__ void k(float* p) { *p = f(*p) + g(*p); }
