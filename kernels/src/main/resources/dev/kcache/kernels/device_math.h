// SPDX-License-Identifier: Apache-2.0
//
// erf, tanh, sin, cos, exp, log and pow of float and double, in namespace kcache::math.
//
// Plain arithmetic, so that every compiler makes device code of it without a library of functions,
// and every processor computes the same bits: additions, multiplications, divisions and fused
// multiply-adds, each rounded to nearest. (But gfx8 and older take subnormal floats for 0: the
// compilers' default there.)
//
// Each result is less than one unit in the last place from the exact one; docs/kernels.md says what
// was measured, and what a unit is at the ends of the range.
//
// Special values are those of C's Annex F; the sign and the payload of a NaN are not specified.
#pragma once

#include <hip/hip_runtime.h>
#include <stdint.h>

#include "device_math_fits.h"
#include "exact.h"

namespace kcache::math {

// Splits x into a whole number of steps and the rest, by the number of steps in one. The lowest bits
// of the sum count steps.
template <class T>
struct Steps {
  static constexpr T shifter = T(Bits<T>(3) << (Format<T>::fraction_bits - 1));

  T shifted;
  T whole;

  __device__ Steps(T x, T per_one) : shifted(fused(x, per_one, shifter)), whole(shifted - shifter) {}

  __device__ Exponent<T> count() const {
    return static_cast<Exponent<T>>(to_bits(shifted) - to_bits(shifter));
  }

  // The lowest bits of the count.
  __device__ Bits<T> low_bits() const { return to_bits(shifted); }

  // factor * 2^count, which is a normal number. (Anything, where the steps are of a NaN.)
  __device__ T scaled(T factor) const {
    return from_bits((low_bits() << Format<T>::fraction_bits) + to_bits(factor));
  }
};

// ---- exp, log ------------------------------------------------------------------------------------

// e to the power of r, |r| <= ln(2) / 2.
template <class T>
__device__ T exp_of_rest(T r) {
  const T curve = fused(r, exp_fit(r), T(0.5));
  return 1 + fused(product(r, r), curve, r);
}

// e to the power of x, by x = n ln(2) + r. The first subtraction of n ln(2) is exact: the difference
// has no more bits than ln(2).
template <class T>
__device__ T exp(T x) {
  using C = Constants<T>;
  const T bounded = at_least(-C::exp_end, at_most(C::exp_end, x));
  const Steps<T> n(bounded, C::per_ln2);
  const T r = fused(-n.whole, C::ln2_low, fused(-n.whole, C::ln2, bounded));
  return scale(exp_of_rest(r), n.count());
}

// What raised_exp is too large by, so that it is a normal number: to be multiplied by last, which
// rounds a subnormal one.
template <class T>
__device__ T lowering() {
  return power_of_two<T>(-(Format<T>::bias / 2 + 1));
}

// e to the power of x over lowering(), for -exp_end <= x <= 0.
template <class T>
__device__ T raised_exp(Pair<T> x) {
  using C = Constants<T>;
  const Steps<T> n(x.high, C::per_ln2);
  const T r = fused(-n.whole, C::ln2, x.high) + fused(-n.whole, C::ln2_low, x.low);
  return product(exp_of_rest(r), n.scaled(1 / lowering<T>()));
}

// e to the power of x, with more than the bits of T until it is rounded.
template <class T>
__device__ T exp(Pair<T> x) {
  using C = Constants<T>;
  if (x.high >= C::exp_end) x = {C::exp_end, 0};
  if (x.high <= -C::exp_end) x = {-C::exp_end, 0};
  const Steps<T> n(x.high, C::per_ln2);
  const Pair<T> r = sum(fused(-n.whole, C::ln2, x.high), fused(-n.whole, C::ln2_low, x.low));
  // 1 + r + r^2 / 2, exactly, and the rest.
  const Pair<T> square = exact_product(r.high, product(T(0.5), r.high));
  const Pair<T> line = ordered_sum(T(1), r.high);
  const Pair<T> parabola = ordered_sum(line.high, square.high);
  const T low = (line.low + parabola.low) + (square.low + r.low);
  const T curve = fused(product(square.high, r.high + r.high), exp_fit(r.high), low);
  return scale(parabola.high + curve, n.count());
}

// The logarithm of a positive finite number, with more than the bits of T. For x = 2^n m, with m
// between the roots of 1/2 and 2, it is n ln(2) + 2 atanh(s / 2), s = 2 (m - 1) / (m + 1).
template <class T>
__device__ Pair<T> log_pair(T x) {
  using C = Constants<T>;
  constexpr int fraction_bits = Format<T>::fraction_bits;
  const bool subnormal = x < power_of_two<T>(1 - Format<T>::bias);
  const Bits<T> bits = to_bits(subnormal ? x * power_of_two<T>(fraction_bits + 1) : x);
  const Exponent<T> exponent =
      static_cast<Exponent<T>>(bits - to_bits(C::root_of_half)) >> fraction_bits;
  const T m = from_bits(bits - (static_cast<Bits<T>>(exponent) << fraction_bits));
  const T n = static_cast<T>(exponent - (subnormal ? fraction_bits + 1 : 0));

  const T dividend = (m - 1) + (m - 1);
  const T divisor = m + 1;
  const T divisor_low = m - (divisor - 1);
  const T inverse = 1 / divisor;
  Pair<T> s;
  s.high = product(dividend, inverse);
  s.low = product(fused(-s.high, divisor_low, fused(-s.high, divisor, dividend)), inverse);

  // 2 atanh(s / 2) = s + s z (1/12 + z fit(z)), z = s^2.
  const Pair<T> z = product(s, s);
  const T fit = log_fit(z.high);
  const Pair<T> tail = exact_product(z.high, fit);
  Pair<T> factor = ordered_sum(C::twelfth, tail.high);
  factor.low += fused(z.low, fit, tail.low) + C::twelfth_low;
  const Pair<T> curve = product(s, product(z, factor));

  const Pair<T> power = exact_product(n, C::ln2);
  const Pair<T> line = ordered_sum(power.high, s.high);
  const Pair<T> whole = ordered_sum(line.high, curve.high);
  const T low = fused(n, C::ln2_low, power.low) + (s.low + curve.low);
  return ordered_sum(whole.high, (line.low + whole.low) + low);
}

inline __device__ double log_of_positive(double x) { return log_pair(x).high; }

// For x = 2^n (1 + f), as above, it is n ln(2) + f - f^2 / 2 + f^3 fit(f).
inline __device__ float log_of_positive(float x) {
  using C = Constants<float>;
  const bool subnormal = x < power_of_two<float>(1 - Format<float>::bias);
  const Bits<float> bits = to_bits(subnormal ? product(x, 0x1p24f) : x);
  const Bits<float> steps = (bits - to_bits(C::root_of_half)) & 0xff800000;
  const float f = from_bits(bits - steps) - 1;
  const float exponent = product(static_cast<float>(static_cast<int32_t>(steps)), 0x1p-23f);
  const float n = subnormal ? exponent - 24 : exponent;

  const float square = product(f, f);
  const float rest = fused(product(square, f), log1p_fit(f), product(-0.5f, square));
  const Pair<float> power = exact_product(n, C::ln2);
  const Pair<float> line = ordered_sum(power.high, f);
  return line.high + (rest + (line.low + fused(n, C::ln2_low, power.low)));
}

template <class T>
__device__ T log(T x) {
  if (x > 0 && x < infinity<T>()) return log_of_positive(x);
  return x == 0 ? -infinity<T>() : x > 0 ? x : not_a_number<T>();
}

// ---- pow -----------------------------------------------------------------------------------------

enum class Parity { odd, even, none };

// Of a finite number other than 0, or of infinity, which is even as all large numbers are.
template <class T>
__device__ Parity parity(T y) {
  constexpr int fraction_bits = Format<T>::fraction_bits;
  const Bits<T> bits = to_bits(magnitude(y));
  const int exponent = static_cast<int>(bits >> fraction_bits) - Format<T>::bias;
  if (exponent < 0) return Parity::none;
  if (exponent > fraction_bits) return Parity::even;
  const Bits<T> one = Bits<T>(1) << (fraction_bits - exponent);
  if ((bits & (one - 1)) != 0) return Parity::none;
  // The first bit of a number is not stored.
  return exponent == 0 || (bits & one) != 0 ? Parity::odd : Parity::even;
}

// x^y for x >= 0.
template <class T>
__device__ T pow_of_magnitude(T x, T y) {
  if (x == 0 || x == infinity<T>()) return (x == 0) == (y < 0) ? infinity<T>() : T(0);
  if (magnitude(y) == infinity<T>()) {
    return x == 1 ? T(1) : (x > 1) == (y > 0) ? infinity<T>() : T(0);
  }
  const Pair<T> logarithm = log_pair(x);
  const Pair<T> exponent = exact_product(y, logarithm.high);
  return exp(Pair<T>{exponent.high, fused(y, logarithm.low, exponent.low)});
}

template <class T>
__device__ T pow(T x, T y) {
  if (x == 1 || y == 0) return 1;
  if (x != x || y != y) return not_a_number<T>();
  const Parity kind = parity(y);
  const T size = magnitude(x);
  if (x < 0 && size != infinity<T>() && kind == Parity::none) return not_a_number<T>();
  return flip_sign(pow_of_magnitude(size, y), kind == Parity::odd ? sign_bit(x) : 0);
}

// ---- sin, cos ------------------------------------------------------------------------------------

// The upper half of a product of two 64-bit numbers.
inline __device__ uint64_t high_product(uint64_t a, uint64_t b) {
  const uint64_t a_low = static_cast<uint32_t>(a), a_high = a >> 32;
  const uint64_t b_low = static_cast<uint32_t>(b), b_high = b >> 32;
  const uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
  const uint64_t other = a_low * b_high + static_cast<uint32_t>(middle);
  return a_high * b_high + (middle >> 32) + (other >> 32);
}

// 64 bits of two_over_pi.
inline __device__ uint64_t two_over_pi_from(int bit) {
  const uint32_t* words = two_over_pi + bit / 32;
  const int shift = bit % 32;
  const uint64_t upper = uint64_t{words[0]} << 32 | words[1];
  return upper << shift | (uint64_t{words[2]} << shift) >> 32;
}

// A number as quarter turns, whole ones modulo 4, and the rest, at most half a one either way.
template <class T>
struct Angle {
  Pair<T> rest;
  unsigned quarter_turns;
};

// For x that is small enough for the steps to be counted. The first subtraction of quarter turns is
// exact: the difference has no more bits than pi / 2.
template <class T>
__device__ Angle<T> angle_of_small(T x) {
  using C = Constants<T>;
  const Steps<T> n(x, C::per_quarter_turn);
  const Pair<T> low = exact_product(-n.whole, C::quarter_turn_low);
  const Pair<T> rest = sum(fused(-n.whole, C::quarter_turn, x), low.high);
  return {{rest.high, rest.low + fused(-n.whole, C::quarter_turn_lowest, low.low)},
          static_cast<unsigned>(n.low_bits())};
}

// For large x = m 2^e, after Payne and Hanek: of m 2/pi only the bits are computed that are worth
// less than 4 quarter turns, 128 of them. Near a multiple of pi/2 up to 62 come to nothing.
template <class T>
__device__ Angle<T> angle_of_large(T x) {
  using C = Constants<T>;
  constexpr int fraction_bits = Format<T>::fraction_bits;
  const Bits<T> bits = to_bits(x);
  const int exponent = static_cast<int>(bits >> fraction_bits) - Format<T>::bias - fraction_bits;
  const Bits<T> implicit = Bits<T>(1) << fraction_bits;
  const uint64_t m = (bits & (implicit - 1)) | implicit;

  const int first = exponent + 30;
  const uint64_t middle = m * two_over_pi_from(first + 64);
  const uint64_t low = middle + high_product(m, two_over_pi_from(first + 128));
  const uint64_t high = m * two_over_pi_from(first) +
                        high_product(m, two_over_pi_from(first + 64)) + (low < middle);

  const uint64_t quarter_turns = (high + (uint64_t{1} << 61)) >> 62;
  const int64_t rest = static_cast<int64_t>(high - (quarter_turns << 62));
  const T upper = static_cast<T>(rest);
  const T between = static_cast<T>(rest - static_cast<int64_t>(upper));
  const T lower = fused(static_cast<T>(low), power_of_two<T>(-64), between);
  const Pair<T> scaled = ordered_sum(product(upper, power_of_two<T>(-62)), product(lower, power_of_two<T>(-62)));
  return {product(scaled, Pair<T>{C::quarter_turn, C::quarter_turn_low}),
          static_cast<unsigned>(quarter_turns)};
}

template <class T>
__device__ T sin_of_rest(Pair<T> r) {
  const T z = product(r.high, r.high);
  const T low = fused(product(T(-0.5), z), r.low, r.low);
  return r.high + fused(product(r.high, z), sin_fit(z), low);
}

template <class T>
__device__ T cos_of_rest(Pair<T> r) {
  const T z = product(r.high, r.high);
  const Pair<T> line = ordered_sum(T(1), product(T(-0.5), z));
  const T low = fused(-r.high, r.low, line.low);
  return line.high + fused(product(z, z), cos_fit(z), low);
}

// The sine of an angle and some quarter turns more.
template <class T>
__device__ T sin_of_angle(const Angle<T>& angle, unsigned more) {
  const unsigned quarter_turns = angle.quarter_turns + more;
  const T sin = sin_of_rest(angle.rest);
  const T cos = cos_of_rest(angle.rest);
  const T value = quarter_turns % 2 == 0 ? sin : cos;
  return quarter_turns % 4 < 2 ? value : -value;
}

// The sine of x and some quarter turns more, 0 or 1, for |x| < small_angle.
template <class T>
__device__ T sin_of_small(T x, unsigned more) {
  const T value = sin_of_angle(angle_of_small(magnitude(x)), more);
  return more == 0 ? flip_sign(value, sign_bit(x)) : value;
}

// The same for any x.
template <class T>
__device__ T sin_of_any(T x, unsigned more) {
  const T size = magnitude(x);
  if (size < Constants<T>::small_angle) return sin_of_small(x, more);
  if (!(size < infinity<T>())) return not_a_number<T>();
  const T value = sin_of_angle(angle_of_large(size), more);
  return more == 0 ? flip_sign(value, sign_bit(x)) : value;
}

template <class T>
__device__ T sin(T x) {
  return sin_of_any(x, 0);
}

template <class T>
__device__ T cos(T x) {
  return sin_of_any(x, 1);
}

// ---- tanh, erf -----------------------------------------------------------------------------------

// 1 - 2 e / (1 + e) for x > 0, e = exp(-2 x); what is lost of the sums and of the quotient is made
// good.
template <class T>
__device__ T tanh_by_exp(T x) {
  const T e = product(raised_exp(Pair<T>{T(-2) * x, 0}), lowering<T>());
  const Pair<T> divisor = ordered_sum(T(1), e);
  const T inverse = near_inverse(divisor.high);
  const T dividend = T(-2) * e;
  const T quotient = product(dividend, inverse);
  const T rest = fused(-quotient, divisor.low, fused(-quotient, divisor.high, dividend));
  const Pair<T> value = ordered_sum(T(1), quotient);
  return value.high + fused(inverse, rest, value.low);
}

template <class T>
__device__ T tanh(T x) {
  const T size = magnitude(x);
  const T z = product(size, size);
  const T small = fused(product(size, z), tanh_fit(z), size);
  const T large = tanh_by_exp(at_most(Constants<T>::tanh_end, size));
  return flip_sign(size < T(0.55) ? small : large, sign_bit(x));
}

// 1 - exp(log(1 - erf(x))) for x >= 7/8. The logarithm's first term is a factor, 1 - erf(7/8).
template <class T>
__device__ T erf_by_exp(T x) {
  using C = Constants<T>;
  const T beyond = x - T(0.875);
  const T exponent = product(beyond, erfc_fit(beyond));
  const Steps<T> n(exponent, C::per_ln2);
  const T r = fused(-n.whole, C::ln2_low, fused(-n.whole, C::ln2, exponent));
  return fused(-exp_of_rest(r), n.scaled(C::erfc_start), T(1));
}

template <class T>
__device__ T erf(T x) {
  const T size = magnitude(x);
  const T small = fused(size, erf_fit(product(size, size)), size);
  const T large = erf_by_exp(at_most(Constants<T>::erf_end, size));
  return flip_sign(size < T(0.875) ? small : large, sign_bit(x));
}

}  // namespace kcache::math
