// SPDX-License-Identifier: Apache-2.0
//
// A kernel for each function of device_math.h, roots.h and activations.h and each of their types, of
// the rounding ones of exact.h, and of half_math.h.
#include <hip/hip_runtime.h>

#include "activations.h"
#include "device_math.h"
#include "half_math.h"
#include "roots.h"
#include "scalars.h"

#define KERNEL(name, type, result)                                                          \
  extern "C" __global__ void name##_##type(int64_t count, const kcache::type* x,            \
                                           kcache::type* out) {                             \
    const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;                       \
    if (i < count) out[i] = kcache::type(result);                                           \
  }

#define MATH(name, type) KERNEL(name, type, kcache::math::name(x[i]))
#define HALF(name, type) KERNEL(name, type, kcache::half::name(x[i]))

#define KERNELS(type)                                          \
  MATH(erf, type)                                              \
  MATH(tanh, type)                                             \
  MATH(sin, type)                                              \
  MATH(cos, type)                                              \
  MATH(exp, type)                                              \
  MATH(log, type)                                              \
  MATH(sigmoid, type)                                          \
  MATH(silu, type)                                             \
  MATH(gelu, type)                                             \
  MATH(gelu_tanh, type)                                        \
  MATH(sqrt, type)                                             \
  MATH(rsqrt, type)                                            \
  MATH(floor, type)                                            \
  MATH(ceil, type)                                             \
  MATH(round, type)                                            \
  KERNEL(pow, type, kcache::math::pow(x[2 * i], x[2 * i + 1]))

#define HALF_KERNELS(type)                                                    \
  HALF(erf, type)                                                             \
  HALF(tanh, type)                                                            \
  HALF(sin, type)                                                             \
  HALF(cos, type)                                                             \
  HALF(exp, type)                                                             \
  HALF(log, type)                                                             \
  HALF(sigmoid, type)                                                         \
  HALF(silu, type)                                                            \
  HALF(gelu, type)                                                            \
  HALF(gelu_tanh, type)                                                       \
  HALF(sqrt, type)                                                            \
  HALF(rsqrt, type)                                                           \
  KERNEL(pow, type, kcache::half::Pow(kcache::widen(x[2 * i + 1]))(x[2 * i]))

KERNELS(f32)
KERNELS(f64)
HALF_KERNELS(f16)
HALF_KERNELS(bf16)
