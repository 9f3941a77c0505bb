#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
__global__ void k(float* p, int n) {
#pragma clang loop unroll(full) vectorize(enable)
  for (int i = 0; i < n; i++) p[i] += p[2 * i];
}
