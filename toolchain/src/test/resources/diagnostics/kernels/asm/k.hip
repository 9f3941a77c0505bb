#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
__global__ void k(float* p) {
  asm volatile("v_no_such_op v0, v1\n\ts_nop 0" ::: "memory");
  *p = 1;
}
