#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
__global__ void k(int* p) { volatile int a[300000000]; a[*p] = 1; *p = a[1]; }
