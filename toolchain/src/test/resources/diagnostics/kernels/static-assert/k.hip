#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
template <int N> struct Tile { static_assert(N % 32 == 0, "a tile is a multiple of 32"); float x[N]; };
__global__ void k(float* p) { Tile<33> t; *p = t.x[0]; }
