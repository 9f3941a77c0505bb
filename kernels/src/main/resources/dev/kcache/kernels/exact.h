// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of float and double whose rounding errors are known, for device_math.h.
//
// Compilers may fuse a product and a sum into one operation that rounds once, and not all do it at
// the same places. So what is added to something is made by fused() or product(), and the results
// are the same everywhere (but not with -ffp-contract=fast or -ffast-math). The product may not be
// negated in between: clang negates a factor instead, and then fuses.
#pragma once

#include <hip/hip_runtime.h>
#include <stdint.h>

namespace kcache::math {

template <class T>
struct Format;

template <>
struct Format<float> {
  using Bits = uint32_t;
  using Exponent = int32_t;
  static constexpr int fraction_bits = 23;
  static constexpr int bias = 127;
};

template <>
struct Format<double> {
  using Bits = uint64_t;
  using Exponent = int64_t;
  static constexpr int fraction_bits = 52;
  static constexpr int bias = 1023;
};

template <class T>
using Bits = typename Format<T>::Bits;
template <class T>
using Exponent = typename Format<T>::Exponent;

inline __device__ uint32_t to_bits(float value) { return __float_as_uint(value); }
inline __device__ uint64_t to_bits(double value) {
  return static_cast<uint64_t>(__double_as_longlong(value));
}
inline __device__ float from_bits(uint32_t bits) { return __uint_as_float(bits); }
inline __device__ double from_bits(uint64_t bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}

// a * b + c, rounded once; and a * b that is not fused with what it is added to.
#if defined(__CUDACC__) && !defined(__clang__)
inline __device__ float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
inline __device__ double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
inline __device__ float product(float a, float b) { return __fmul_rn(a, b); }
inline __device__ double product(double a, double b) { return __dmul_rn(a, b); }
#else
inline __device__ float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline __device__ double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <class T>
__device__ T product(T a, T b) {
#pragma clang fp contract(off)
  return a * b;
}
#endif

// The value of a polynomial, coefficients from the lowest.
template <class T>
__device__ T polynomial(T, T last) {
  return last;
}
template <class T, class... Rest>
__device__ T polynomial(T x, T first, Rest... rest) {
  return fused(x, polynomial(x, rest...), first);
}

// 2^exponent, which is a normal number.
template <class T>
__device__ T power_of_two(Exponent<T> exponent) {
  return from_bits(static_cast<Bits<T>>(exponent + Format<T>::bias) << Format<T>::fraction_bits);
}

template <class T>
__device__ T infinity() {
  return power_of_two<T>(Format<T>::bias + 1);
}

template <class T>
__device__ T not_a_number() {
  return from_bits(static_cast<Bits<T>>(-1) >> 1);
}

template <class T>
__device__ Bits<T> sign_bit(T value) {
  return to_bits(value) & ~(static_cast<Bits<T>>(-1) >> 1);
}

inline __device__ float magnitude(float value) { return __builtin_fabsf(value); }
inline __device__ double magnitude(double value) { return __builtin_fabs(value); }

// A value that may be negative, with another sign where the bit is set.
template <class T>
__device__ T flip_sign(T value, Bits<T> sign) {
  return from_bits(to_bits(value) ^ sign);
}

// value * 2^exponent, rounded once: the first of two steps is exact, for a value near 1 and an
// exponent of at most one and a half times the format's.
template <class T>
__device__ T scale(T value, Exponent<T> exponent) {
  const Exponent<T> half = exponent / 2;
  return product(product(value, power_of_two<T>(half)), power_of_two<T>(exponent - half));
}

// Bounded, so that nothing infinite comes in between; a NaN stays one.
template <class T>
__device__ T at_most(T end, T x) {
  return x >= end ? end : x;
}

template <class T>
__device__ T at_least(T end, T x) {
  return x <= end ? end : x;
}

// 1 / x, but for a few millionths, for x > 0. The first guess makes of the exponent its negative.
inline __device__ float near_inverse(float x) {
  const float guess = from_bits(0x7ef311c3 - to_bits(x));
  const float rest = fused(-x, guess, 1.0f);
  const float near = fused(guess, fused(rest, rest, rest), guess);
  return fused(near, fused(-x, near, 1.0f), near);
}
inline __device__ double near_inverse(double x) { return 1 / x; }

// 1 / x for x > 0, nearly rounded to nearest.
inline __device__ float inverse(float x) {
  const float near = near_inverse(x);
  return fused(near, fused(-x, near, 1.0f), near);
}
inline __device__ double inverse(double x) { return 1 / x; }

// The nearest whole number, of two the even one: IEEE 754's roundToIntegralTiesToEven. Of a larger
// sum there are no bits behind the point.
template <class T>
__device__ T round(T x) {
  const T end = power_of_two<T>(Format<T>::fraction_bits);
  const T size = magnitude(x);
  return size < end ? flip_sign((size + end) - end, sign_bit(x)) : x;
}

template <class T>
__device__ T floor(T x) {
  const T near = round(x);
  return near > x ? near - 1 : near;
}

template <class T>
__device__ T ceil(T x) {
  return -floor(-x);
}

// A number in two parts, their sum; the lower is at most about the rounding error of the higher.
template <class T>
struct Pair {
  T high;
  T low;
};

// a + b, exactly.
template <class T>
__device__ Pair<T> sum(T a, T b) {
  const T high = a + b;
  const T of_b = high - a;
  return {high, (a - (high - of_b)) + (b - of_b)};
}

// a + b, exactly, where a is 0 or |a| >= |b|.
template <class T>
__device__ Pair<T> ordered_sum(T a, T b) {
  const T high = a + b;
  return {high, b - (high - a)};
}

// a * b, exactly, if the lower part is no smaller than normal numbers.
template <class T>
__device__ Pair<T> exact_product(T a, T b) {
  const T high = product(a, b);
  return {high, fused(a, b, -high)};
}

template <class T>
__device__ Pair<T> product(Pair<T> a, Pair<T> b) {
  const Pair<T> highs = exact_product(a.high, b.high);
  return {highs.high, fused(a.high, b.low, fused(a.low, b.high, highs.low))};
}

}  // namespace kcache::math
