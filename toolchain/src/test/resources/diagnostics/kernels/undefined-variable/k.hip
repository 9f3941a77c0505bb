#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
extern __device__ float table[16];
__global__ void k(float* p) { *p = table[3]; }
