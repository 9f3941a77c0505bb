// SPDX-License-Identifier: Apache-2.0
//
// Kernels that ask for what the runtime fills in: the shape of the launch, and a buffer for printf.
#include <hip/hip_runtime.h>

extern "C" __global__ void shape(double* out) {
  out[0] = gridDim.x; out[1] = gridDim.y; out[2] = gridDim.z;
  out[3] = blockDim.x; out[4] = blockDim.y; out[5] = blockDim.z;
}

extern "C" __global__ void prints(double* out) { printf("%f\n", out[0]); }
