#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
__device__ float f(float a,
                   float b);
__global__ void k(float* p) {
  *p = f(1,
         2,
         3);
  *p = p[0] +
       (p +
        p);
}
