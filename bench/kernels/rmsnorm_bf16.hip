// SPDX-License-Identifier: Apache-2.0
//
// Root-mean-square normalisation of bfloat16 rows, with the residual added first.
#include <hip/hip_runtime.h>

#include "bf16.h"
#include "block.h"

extern "C" __global__ void rmsnorm(int columns, float epsilon, bf16* residual, const bf16* x,
                                   const bf16* weight, bf16* y) {
  const long long begin = (long long)blockIdx.x * columns;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float sum = widen(residual[begin + i]) + widen(x[begin + i]);
    residual[begin + i] = narrow(sum);
    squares += sum * sum;
  }
  const float scale = rsqrtf(reduce_block<Sum>(squares) / columns + epsilon);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    y[begin + i] = narrow(widen(residual[begin + i]) * scale * widen(weight[i]));
  }
}
