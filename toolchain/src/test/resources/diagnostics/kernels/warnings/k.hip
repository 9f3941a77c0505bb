#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
__global__ void k(int* p, unsigned n) {
  int unused;
  for (int i = 0; i < n; i++) p[i] = i;
  if (p[0] = 1) p[1] = 2;
}
