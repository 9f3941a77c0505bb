// SPDX-License-Identifier: Apache-2.0
//
// A step of AdamW over many parameters.
#include <hip/hip_runtime.h>

struct Step {
  float rate;
  float beta1;
  float beta2;
  float epsilon;
  float decay;
  int number;
};

extern "C" __global__ void adamw(long long n, Step step, const float* __restrict__ gradients,
                                 float* __restrict__ parameters, float* __restrict__ first,
                                 float* __restrict__ second) {
  const float correction1 = 1.0f - powf(step.beta1, step.number);
  const float correction2 = 1.0f - powf(step.beta2, step.number);
  const long long stride = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const float g = gradients[i];
    const float m = step.beta1 * first[i] + (1.0f - step.beta1) * g;
    const float v = step.beta2 * second[i] + (1.0f - step.beta2) * g * g;
    first[i] = m;
    second[i] = v;
    const float update = m / correction1 / (sqrtf(v / correction2) + step.epsilon);
    parameters[i] -= step.rate * (update + step.decay * parameters[i]);
  }
}
