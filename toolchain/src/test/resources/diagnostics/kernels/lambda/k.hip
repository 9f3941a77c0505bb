#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
struct Wrap { struct { int x; } inner; };
__global__ void k(float* p) {
  auto f = [](float x) { return x; };
  Wrap w;
  *p = f;
  *p = w.inner;
  enum { A } a; a.b();
}
