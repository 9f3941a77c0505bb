// SPDX-License-Identifier: Apache-2.0
//
// sqrt and rsqrt of float and double, in namespace kcache::math, and of f16 and bf16 in kcache::half:
// plain arithmetic, as that of device_math.h. The compilers' own square roots are not the same
// everywhere.
#pragma once

#include <hip/hip_runtime.h>

#include <type_traits>

#include "exact.h"
#include "scalars.h"

namespace kcache::math {

// What a root's bits are taken from for a first guess, and how often that guess is improved: each
// time it has twice the bits that are right.
template <class T>
struct RootGuess;
template <>
struct RootGuess<float> {
  static constexpr Bits<float> bits = 0x5f3759df;
  static constexpr int steps = 3;
};
template <>
struct RootGuess<double> {
  static constexpr Bits<double> bits = 0x5fe6eb50c7b537a9;
  static constexpr int steps = 4;
};

// A positive finite number m 2^(2 exponent), 1 <= m < 4, and next to the inverse of the root of m.
template <class T>
struct Root {
  T m;
  Exponent<T> exponent;
  T inverse;

  __device__ explicit Root(T x) {
    constexpr int fraction_bits = Format<T>::fraction_bits;
    // An even number of bits.
    constexpr int shift = (fraction_bits + 2) / 2 * 2;
    const bool subnormal = x < power_of_two<T>(1 - Format<T>::bias);
    const Bits<T> bits = to_bits(subnormal ? x * power_of_two<T>(shift) : x);
    exponent = ((static_cast<Exponent<T>>(bits >> fraction_bits) - Format<T>::bias) >> 1);
    m = from_bits(bits - (static_cast<Bits<T>>(exponent) << (fraction_bits + 1)));
    if (subnormal) exponent -= shift / 2;

    inverse = from_bits(RootGuess<T>::bits - (to_bits(m) >> 1));
    const T half = product(T(-0.5), m);
    for (int i = 0; i < RootGuess<T>::steps; ++i) {
      inverse = fused(inverse, fused(product(half, inverse), inverse, T(0.5)), inverse);
    }
  }
};

// The square root, correctly rounded.
template <class T>
__device__ T sqrt(T x) {
  if (!(x > 0 && x < infinity<T>())) return x >= 0 ? x : not_a_number<T>();
  const Root<T> root(x);
  T s = product(root.m, root.inverse);
  s = fused(product(T(0.5), root.inverse), fused(-s, s, root.m), s);
  // After Tuckerman: the root is nearer to s than to its neighbours if s * below < m <= s * above,
  // for m and these products are whole numbers of squares of the unit.
  const T unit = power_of_two<T>(-Format<T>::fraction_bits);
  const T below = s - unit;
  const T above = s + unit;
  const bool is_below = fused(-s, below, root.m) <= 0;
  const bool is_above = fused(-s, above, root.m) > 0;
  s = is_below ? below : is_above ? above : s;
  return product(s, power_of_two<T>(root.exponent));
}

// 1 / sqrt(x); of a zero it is infinite, with the sign of the zero.
template <class T>
__device__ T rsqrt(T x) {
  if (x == 0) return flip_sign(infinity<T>(), sign_bit(x));
  if (!(x > 0 && x < infinity<T>())) return x > 0 ? T(0) : not_a_number<T>();
  const Root<T> root(x);
  const T y = root.inverse;
  const Pair<T> root_of_m = exact_product(root.m, y);
  const T rest = fused(-root_of_m.low, y, fused(-root_of_m.high, y, T(1)));
  return product(fused(product(T(0.5), y), rest, y), power_of_two<T>(-root.exponent));
}

}  // namespace kcache::math

// Roots as floats that have some bits more than f16 and bf16 need. There is no branch, so special
// values are put right at the end.
namespace kcache::half {

using math::fused;
using math::product;

// A positive finite number as x scale^2, and nearly the inverse of the root of x. The scale is for
// subnormal numbers of bf16, which are subnormal floats, too.
template <class T>
struct Root {
  float x;
  float scale;
  float inverse;

  __device__ explicit Root(T element) {
    const float value = widen(element);
    const bool subnormal = std::is_same_v<T, bf16> && math::magnitude(value) < 0x1p-126f;
    x = subnormal ? product(value, 0x1p24f) : value;
    scale = subnormal ? 0x1p-12f : 1.0f;
    inverse = math::from_bits(math::RootGuess<float>::bits - (math::to_bits(x) >> 1));
    const float half = product(-0.5f, x);
    for (int i = 0; i < 2; ++i) {  // to 18 bits
      inverse = fused(inverse, fused(product(half, inverse), inverse, 0.5f), inverse);
    }
  }
};

template <class T>
__device__ float sqrt(T element) {
  const Root<T> root(element);
  const float near = product(root.x, root.inverse);
  const float s = fused(product(0.5f, root.inverse), fused(-near, near, root.x), near);
  const float value = widen(element);
  const float real = value < 0 ? math::not_a_number<float>() : product(s, root.scale);
  return value == math::infinity<float>() ? value : real;
}

template <class T>
__device__ float rsqrt(T element) {
  const Root<T> root(element);
  const float y = root.inverse;
  const float rest = fused(product(-root.x, y), y, 1.0f);
  const float value = widen(element);
  const float near = product(fused(product(0.5f, y), rest, y), 1 / root.scale);
  const float infinite = math::flip_sign(math::infinity<float>(), math::sign_bit(value));
  const float real = value < 0 ? math::not_a_number<float>() : near;
  return value == 0 ? infinite : value == math::infinity<float>() ? 0 : real;
}

}  // namespace kcache::half
