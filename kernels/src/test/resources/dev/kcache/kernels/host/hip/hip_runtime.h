// SPDX-License-Identifier: Apache-2.0
//
// Stands in for HIP's own header, so that a C++ compiler builds the shipped kernels for the host.
#pragma once

#include <cmath>
#include <cstring>

#define __device__
#define __global__

struct GridDimension {
  unsigned x;
};

inline GridDimension gridDim, blockDim, blockIdx, threadIdx;

inline unsigned __float_as_uint(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float __uint_as_float(unsigned bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline long long __double_as_longlong(double value) {
  long long bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline double __longlong_as_double(long long bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
