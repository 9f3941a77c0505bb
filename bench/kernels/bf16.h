// SPDX-License-Identifier: Apache-2.0
//
// The upper half of a float. A type of our own, as portable code has it: the one of HIP differs by release.
#pragma once

struct bf16 {
  unsigned short bits;
};

inline __device__ float widen(bf16 value) {
  return __uint_as_float(static_cast<unsigned>(value.bits) << 16);
}

// To the nearest, ties to even.
inline __device__ bf16 narrow(float value) {
  const unsigned whole = __float_as_uint(value);
  if (value != value) return bf16{static_cast<unsigned short>(whole >> 16 | 0x40)};
  return bf16{static_cast<unsigned short>((whole + 0x7fff + (whole >> 16 & 1)) >> 16)};
}
