#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#if defined(__HIP_DEVICE_COMPILE__)
#warning "about to fail"
#error this kernel wants gfx1030: get one
#endif
__global__ void k() {}
