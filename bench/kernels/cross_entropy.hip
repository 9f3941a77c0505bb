// SPDX-License-Identifier: Apache-2.0
//
// The loss over a vocabulary, and its gradient, without the softmax in memory.
#include <hip/hip_runtime.h>

#include "block.h"

extern "C" __global__ void cross_entropy(int classes, const float* logits, const int* labels,
                                         float* losses, float* gradients) {
  const float* row = logits + (long long)blockIdx.x * classes;
  float* gradient = gradients + (long long)blockIdx.x * classes;
  float greatest = -3.402823466e+38f;
  for (int i = threadIdx.x; i < classes; i += blockDim.x) greatest = fmaxf(greatest, row[i]);
  greatest = reduce_block<Max>(greatest);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < classes; i += blockDim.x) sum += expf(row[i] - greatest);
  const float log_sum = greatest + logf(reduce_block<Sum>(sum));
  const int label = labels[blockIdx.x];
  for (int i = threadIdx.x; i < classes; i += blockDim.x) {
    gradient[i] = expf(row[i] - log_sum) - (i == label ? 1.0f : 0.0f);
  }
  if (threadIdx.x == 0) losses[blockIdx.x] = log_sum - row[label];
}
