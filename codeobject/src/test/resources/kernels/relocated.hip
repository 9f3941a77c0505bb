#include <hip/hip_runtime.h>

__device__ int table[4] = {1, 2, 3, 4};
__device__ int* second = &table[1];
extern "C" __device__ __attribute__((visibility("default"), weak)) int shared_value = 5;
__device__ int* outside = &shared_value;

extern "C" __global__ void relocated(int* out) { out[0] = *second + *outside; }
