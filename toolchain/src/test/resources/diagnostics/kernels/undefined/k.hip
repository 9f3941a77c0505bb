#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
namespace lib { __device__ float scale(float x, int n); }
extern "C" __device__ void plain(float* p);
__global__ void k(float* p) {
  *p = lib::scale(*p, 3);
  plain(p);
  p[1] = lib::scale(p[1], 4);
}
