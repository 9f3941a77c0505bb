#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
template <int N> struct R { static constexpr int v = R<N + 1>::v; };
__global__ void k(int* p) { *p = R<0>::v; }
