#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define ADD(a, b) ((a) + (b))
#define ADD3(a, b, c) ADD(ADD(a, b), c)
#define PASTE(a, b) a##b
__global__ void k(float* p) {
  *p = ADD3(1.0f, p, 2.0f);
  *p = PASTE(un, known);
}
