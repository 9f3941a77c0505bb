// SPDX-License-Identifier: Apache-2.0
//
// The element types of the shipped kernels, by the names that the kernels carry, and the types in
// which they are computed with.
#pragma once

#include <hip/hip_runtime.h>
#include <stdint.h>
#ifdef __HIP_PLATFORM_NVIDIA__
#include <hip/hip_fp16.h>
#endif

namespace kcache {

using f64 = double;
using f32 = float;
#ifdef __HIP_PLATFORM_NVIDIA__
using f16 = __half;  // nvcc compiles no _Float16
#else
using f16 = _Float16;
#endif
using u8 = uint8_t;
using u32 = uint32_t;
using i32 = int32_t;
using i64 = int64_t;

// The upper half of a float: its sign, its 8 exponent bits and 7 of its fraction bits. Our own,
// because the type that comes with HIP differs from release to release.
struct bf16 {
  uint16_t bits;

  bf16() = default;

  // Rounds to the nearest, ties to even; a NaN stays one, and becomes quiet.
  __device__ explicit bf16(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
    const uint32_t whole = __float_as_uint(value);
    const uint32_t half_way_or_just_below = 0x7fff + (whole >> 16 & 1);
    bits = value != value ? whole >> 16 | 0x40 : (whole + half_way_or_just_below) >> 16;
#endif
  }
};

// widen() gives an element in the type that + - * are done in; a cast to the element's type takes
// the result back.
//
// The 16-bit floats are computed with as float and rounded once, at the end. For one + - * or / that
// gives the correctly rounded result: a float has more than twice their bits. Integers are computed
// with as unsigned, where overflow wraps; in C++ that of a signed one is undefined.
inline __device__ f64 widen(f64 value) { return value; }
inline __device__ f32 widen(f32 value) { return value; }
inline __device__ f32 widen(f16 value) { return static_cast<f32>(value); }
inline __device__ f32 widen(bf16 value) { return __uint_as_float(uint32_t{value.bits} << 16); }
inline __device__ uint32_t widen(u8 value) { return value; }
inline __device__ uint32_t widen(u32 value) { return value; }
inline __device__ uint32_t widen(i32 value) { return static_cast<uint32_t>(value); }
inline __device__ uint64_t widen(i64 value) { return static_cast<uint64_t>(value); }

}  // namespace kcache
