// SPDX-License-Identifier: Apache-2.0
//
// The functions of device_math.h and activations.h for elements of f16 and bf16, in namespace
// kcache::half. They return a float, which is to be rounded to the element's type.
//
// The float has some bits more than the type needs, so the rounded result is at most 0.52 units in
// the last place from exact. There are neither divisions nor branches, but for one in the sine and
// cosine of bf16, so that a processor computes some elements at once. As in device_math.h, every compiler
// and processor gives the same bits, and special values are those of C's Annex F.
#pragma once

#include <hip/hip_runtime.h>
#include <stdint.h>

#include <type_traits>

#include "device_math.h"
#include "scalars.h"

namespace kcache::half {

using math::at_least;
using math::at_most;
using math::fused;
using math::magnitude;
using math::product;
using C = math::Constants<float>;

// bf16 has the exponents of float, of which no factor is left over.
template <class T>
constexpr bool wide = std::is_same_v<T, bf16>;

// Here e to its power, and even 2, are beyond the type's numbers, and those of the negative are 0.
template <class T>
constexpr float exponent_end = wide<T> ? 140 : 70;

// 2 to the power of x * per_one. Of bf16 it is the square of a root, as it may be no normal float.
template <class T>
__device__ float power(float x, float per_one) {
  const float factor = wide<T> ? per_one / 2 : per_one;
  const math::Steps<float> n(x, factor);
  const float fraction = math::half_exp2_fit(fused(x, factor, -n.whole));
  const float value = product(fraction, n.scaled(1));
  return wide<T> ? product(value, value) : value;
}

// 1 / d for 1 <= d <= 2.
inline __device__ float inverse(float d) {
  const float guess = math::half_inverse_fit(d);
  const float rest = fused(-d, guess, 1.0f);
  return fused(guess, fused(rest, rest, rest), guess);
}

// ---- exp, log, pow -------------------------------------------------------------------------------

inline __device__ float bounded(float x, float end) {
  return at_most(end, at_least(-end, x));
}

template <class T>
__device__ float exp(T element) {
  return power<T>(bounded(widen(element), exponent_end<T>), C::per_ln2);
}

// x = 2^exponent (1 + f), with 1 + f between the roots of 1/2 and 2.
struct Parts {
  float exponent;
  float log;  // of 1 + f

  template <class T>
  static __device__ Parts of(float x) {
    const bool subnormal = wide<T> && x < 0x1p-126f;
    const uint32_t bits = math::to_bits(subnormal ? product(x, 0x1p24f) : x);
    const uint32_t steps = (bits - math::to_bits(C::root_of_half)) & 0xff800000;
    const float f = math::from_bits(bits - steps) - 1;
    const float exponent = product(static_cast<float>(static_cast<int32_t>(steps)), 0x1p-23f);
    return {subnormal ? exponent - 24 : exponent, product(f, math::half_log_fit(f))};
  }
};

// What a logarithm of x is, by its value for a positive finite x.
inline __device__ float logarithm(float x, float value) {
  if (x > 0 && x < math::infinity<float>()) return value;
  return x == 0 ? -math::infinity<float>() : x > 0 ? x : math::not_a_number<float>();
}

template <class T>
__device__ float log(T element) {
  const float x = widen(element);
  const Parts parts = Parts::of<T>(x);
  return logarithm(x, fused(parts.exponent, C::ln2, parts.log));
}

// Powers with the same exponent.
class Pow {
 public:
  // Of 1 the logarithm is 0, which nothing infinite may be multiplied by.
  explicit __device__ Pow(float y) : y(bounded(y, 0x1p100f)), parity(math::parity(y)) {}

  template <class T>
  __device__ float operator()(T element) const {
    const float x = widen(element);
    if (y == 0 || y != y) return y == 0 || x == 1 ? 1.0f : y;
    const float size = magnitude(x);
    const Parts parts = Parts::of<T>(size);
    const float log2 = logarithm(size, fused(parts.log, C::per_ln2, parts.exponent));
    const float value = power<T>(bounded(product(y, log2), exponent_end<T>), 1);
    const bool real = x >= 0 || parity != math::Parity::none || size == math::infinity<float>();
    const uint32_t sign = parity == math::Parity::odd ? math::sign_bit(x) : 0;
    return real ? math::flip_sign(value, sign) : math::not_a_number<float>();
  }

 private:
  float y;
  math::Parity parity;
};

// ---- sin, cos ------------------------------------------------------------------------------------

// The sine of x, |x| <= 2^16, and some quarter turns more. A quarter turn is in two parts with the
// same sign, so that a zero keeps its own.
inline __device__ float sin_of_small(float x, uint32_t more) {
  constexpr float upper = C::quarter_turn - 0x1p-23f;
  constexpr float lower = C::quarter_turn_low + 0x1p-23f;
  const math::Steps<float> n(x, C::per_quarter_turn);
  const float r = fused(-n.whole, lower, fused(-n.whole, upper, x));
  const float z = product(r, r);
  const uint32_t quarter_turns = n.low_bits() + more;
  const float sin = product(r, math::half_sin_fit(z));
  const float value = quarter_turns % 2 == 0 ? sin : math::half_cos_fit(z);
  return math::flip_sign(value, (quarter_turns & 2) << 30);
}

template <class T>
__device__ float sin(T element) {
  const float x = widen(element);
  return !wide<T> || magnitude(x) < C::small_angle ? sin_of_small(x, 0) : math::sin(x);
}

template <class T>
__device__ float cos(T element) {
  const float x = widen(element);
  return !wide<T> || magnitude(x) < C::small_angle ? sin_of_small(x, 1) : math::cos(x);
}

// ---- tanh, erf -----------------------------------------------------------------------------------

// -m / (2 + m), m = exp(-2 |x|) - 1, which is made without a loss.
template <class T>
__device__ float tanh(T element) {
  constexpr float factor = -2 * C::per_ln2;
  const float x = widen(element);
  const float size = at_most(10.0f, magnitude(x));
  const math::Steps<float> n(size, factor);
  const float r = fused(size, factor, -n.whole);
  const float whole = n.scaled(1);
  const float m = fused(whole, product(r, math::half_expm1_fit(r)), whole - 1);
  const float value = magnitude(product(m, inverse(m + 2)));
  return math::flip_sign(value, math::sign_bit(x));
}

template <class T>
__device__ float erf(T element) {
  const float x = bounded(widen(element), 2.7f);
  return product(x, math::half_erf_fit(product(x, x)));
}

// ---- sigmoid, silu, gelu -------------------------------------------------------------------------

// factor / (1 + exp(-t)) by e = exp(-|t|); for a negative t by -size, which is a bounded factor.
inline __device__ float logistic(bool negative, float factor, float size, float e) {
  return product(negative ? product(size, e) : factor, inverse(1 + e));
}

template <class T>
__device__ float sigmoid(T element) {
  const float x = widen(element);
  const float e = power<T>(at_most(exponent_end<T>, magnitude(x)), -C::per_ln2);
  return logistic(x < 0, 1, 1, e);
}

template <class T>
__device__ float silu(T element) {
  const float x = widen(element);
  const float size = at_most(exponent_end<T>, magnitude(x));
  return logistic(x < 0, x, -size, power<T>(size, -C::per_ln2));
}

template <class T>
__device__ float gelu_tanh(T element) {
  constexpr float slope = -C::gelu_slope * C::per_ln2;
  constexpr float cubic = -C::gelu_cubic * C::per_ln2;
  const float x = widen(element);
  const float size = at_most(wide<T> ? 11.0f : 8.0f, magnitude(x));
  const float t = fused(product(size, size), cubic, slope);
  return logistic(x < 0, x, -size, power<T>(product(size, t), 1));
}

// x less |x| times the normal distribution beyond |x|, or that alone.
template <class T>
__device__ float gelu(T element) {
  const float x = widen(element);
  const float size = at_most(wide<T> ? 13.7f : 6.0f, magnitude(x));
  const float exponent = wide<T> ? math::half_wide_tail_fit(size) : math::half_tail_fit(size);
  return fused(-size, power<T>(exponent, 1), x >= 0 ? x : 0.0f);
}

}  // namespace kcache::half
