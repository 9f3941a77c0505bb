#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#include <no/such/header.h>
__global__ void k() {}
