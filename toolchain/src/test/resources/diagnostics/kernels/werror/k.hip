#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
__global__ void k(int* p) { int unused; *p = 1; }
