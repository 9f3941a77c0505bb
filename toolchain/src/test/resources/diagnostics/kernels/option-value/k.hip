#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
__global__ void k(float* p) { *p = 1; }
