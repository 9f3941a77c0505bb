#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#include "a b:3: 'q' $x.h"
#include "it's.h"
__global__ void k(float* p) { *p = odd(*p); }
