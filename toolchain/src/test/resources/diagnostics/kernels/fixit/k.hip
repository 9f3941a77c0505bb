#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
struct T { int x; }
__global__ void k(T* t, float* p) {
  t.x = 1;
if (*p = 2) { }
  *p == 3;
}
