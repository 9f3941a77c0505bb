// SPDX-License-Identifier: Apache-2.0
//
// A kernel for each function of device_math.h, roots.h and activations.h and each of their types, and
// of the rounding ones of exact.h.
#include <hip/hip_runtime.h>

#include "activations.h"
#include "device_math.h"
#include "roots.h"
#include "scalars.h"

#define KERNEL(name, type, ...)                                                             \
  extern "C" __global__ void name##_##type(int64_t count, const kcache::type* x,            \
                                           kcache::type* out) {                             \
    const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;                       \
    if (i < count) out[i] = kcache::math::name(__VA_ARGS__);                                \
  }

#define KERNELS(type)                      \
  KERNEL(erf, type, x[i])                  \
  KERNEL(tanh, type, x[i])                 \
  KERNEL(sin, type, x[i])                  \
  KERNEL(cos, type, x[i])                  \
  KERNEL(exp, type, x[i])                  \
  KERNEL(log, type, x[i])                  \
  KERNEL(pow, type, x[2 * i], x[2 * i + 1])\
  KERNEL(sqrt, type, x[i])                 \
  KERNEL(rsqrt, type, x[i])                \
  KERNEL(floor, type, x[i])                \
  KERNEL(ceil, type, x[i])                 \
  KERNEL(round, type, x[i])                \
  KERNEL(sigmoid, type, x[i])              \
  KERNEL(silu, type, x[i])                 \
  KERNEL(gelu, type, x[i])                 \
  KERNEL(gelu_tanh, type, x[i])

KERNELS(f32)
KERNELS(f64)
