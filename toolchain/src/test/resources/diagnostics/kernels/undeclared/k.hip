#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
__device__ int counter;
__global__ void k(int* p) {
  p[0] = countr;
  missing(p);
}
