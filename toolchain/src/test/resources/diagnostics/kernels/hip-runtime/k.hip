#include <hip/hip_runtime.h>
__global__ void k(float* p) {
  __shared__ float t[17500];
  t[threadIdx.x] = std::sqrt(p);
  assert2(0);
  __syncthreads(1);
  atomicAdd(p, "x");
}
