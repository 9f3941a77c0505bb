// SPDX-License-Identifier: Apache-2.0
//
// HIP's complex numbers: vectors of two, computed with by functions. Their operators are those of vectors, element
// by element, as HIP 6 has it; with HIP 5.2, * and / are those of complex numbers.
#pragma once

#include <hip/hip_runtime.h>

#define __KCACHE_COMPLEX(Complex, Vector, T, suffix, root)                                        \
  using Complex = Vector;                                                                         \
  __KCACHE_DEVICE Complex make_##Complex(T real, T imaginary) { return {real, imaginary}; }       \
  __KCACHE_DEVICE T hipCreal##suffix(Complex z) { return z.x; }                                   \
  __KCACHE_DEVICE T hipCimag##suffix(Complex z) { return z.y; }                                   \
  __KCACHE_DEVICE Complex hipConj##suffix(Complex z) { return {z.x, -z.y}; }                      \
  __KCACHE_DEVICE T hipCsqabs##suffix(Complex z) { return z.x * z.x + z.y * z.y; }                \
  __KCACHE_DEVICE T hipCabs##suffix(Complex z) { return root(hipCsqabs##suffix(z)); }             \
  __KCACHE_DEVICE Complex hipCadd##suffix(Complex a, Complex b) {                                 \
    return {a.x + b.x, a.y + b.y};                                                                \
  }                                                                                               \
  __KCACHE_DEVICE Complex hipCsub##suffix(Complex a, Complex b) {                                 \
    return {a.x - b.x, a.y - b.y};                                                                \
  }                                                                                               \
  __KCACHE_DEVICE Complex hipCmul##suffix(Complex a, Complex b) {                                 \
    return {a.x * b.x - a.y * b.y, a.y * b.x + a.x * b.y};                                        \
  }                                                                                               \
  __KCACHE_DEVICE Complex hipCdiv##suffix(Complex a, Complex b) {                                 \
    const T square = hipCsqabs##suffix(b);                                                        \
    return {(a.x * b.x + a.y * b.y) / square, (a.y * b.x - a.x * b.y) / square};                  \
  }                                                                                               \
  __KCACHE_DEVICE Complex hipCfma##suffix(Complex a, Complex b, Complex c) {                      \
    const T real = a.x * b.x + c.x;                                                               \
    const T imaginary = b.x * a.y + c.y;                                                          \
    return {real - a.y * b.y, a.x * b.y + imaginary};                                             \
  }

__KCACHE_COMPLEX(hipFloatComplex, float2, float, f, sqrtf)
__KCACHE_COMPLEX(hipDoubleComplex, double2, double, , sqrt)

using hipComplex = hipFloatComplex;
__KCACHE_DEVICE hipComplex make_hipComplex(float real, float imaginary) { return {real, imaginary}; }
__KCACHE_DEVICE hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z) { return {z.x, z.y}; }
__KCACHE_DEVICE hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z) { return {z.x, z.y}; }

#undef __KCACHE_COMPLEX
