#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
__global__ void k(float* p) {
  const char* s = "äÿ"; *p = wrÂ­ong;  }
