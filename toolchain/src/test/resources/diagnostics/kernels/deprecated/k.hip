#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
[[deprecated("use twice2")]] __device__ float twice(float x) { return x * 2; }
__global__ void k(float* p) { *p = twice(*p); }
