#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#include "h.h"
#include "parts/two.h"
int z = four;
__global__ void k() {}
