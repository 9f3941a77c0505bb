// SPDX-License-Identifier: Apache-2.0
//
// Conversions between any two element types, each rounded once: what cast.hip and saturate.hip share.
#pragma once

#include <hip/hip_runtime.h>
#include <stdint.h>

#include <type_traits>

#include "elementwise.h"
#include "exact.h"

namespace kcache {

// A float that rounds to a narrower type as the exact number does: what lies between two floats
// becomes the one whose last bit is 1 ("round to odd"), so that it neither becomes a tie nor stops
// being one side of it.
inline __device__ f32 rounded_to_odd(f64 value) {
  const f32 nearest = static_cast<f32>(value);
  const f64 back = nearest;
  if (back == value || value != value) return nearest;
  uint32_t bits = math::to_bits(nearest);
  if (math::magnitude(back) > math::magnitude(value)) --bits;
  return math::from_bits(bits | 1);
}

inline __device__ int leading_zeros(uint32_t value) { return __clz(static_cast<int>(value)); }
inline __device__ int leading_zeros(uint64_t value) {
  return __clzll(static_cast<long long>(value));
}

template <class Unsigned>
__device__ f32 rounded_to_odd(Unsigned value) {
  constexpr int width = 8 * sizeof(Unsigned);
  constexpr int kept = math::Format<f32>::fraction_bits + 1;
  const int zeros = leading_zeros(value);
  const int cut = zeros < width - kept ? width - kept - zeros : 0;
  uint32_t digits = static_cast<uint32_t>(value >> cut);
  if (Unsigned{digits} << cut != value) digits |= 1;
  return math::product(static_cast<f32>(digits), math::power_of_two<f32>(cut));
}

// A whole number or a double, to f16 or bf16.
template <class To, class From>
__device__ To to_half(From value) {
  if constexpr (std::is_same_v<From, f64>) {
    return To(rounded_to_odd(value));
  } else if constexpr (std::is_same_v<From, u8>) {
    return To(static_cast<f32>(value));
  } else if constexpr (std::is_unsigned_v<From>) {
    return To(rounded_to_odd(value));
  } else {
    const auto bits = widen(value);
    return To(value < 0 ? -rounded_to_odd(0 - bits) : rounded_to_odd(bits));
  }
}

// The whole part, modulo 2^n for the n bits of To; 0 for infinities and NaNs, whose exponent is that
// of a multiple of 2^64.
template <class To, class Float>
__device__ To to_wrapped(Float value) {
  using Format = math::Format<Float>;
  using Bits =
      std::conditional_t<(sizeof(math::Bits<Float>) < sizeof(To)), uint64_t, math::Bits<Float>>;
  constexpr int width = 8 * sizeof(Bits);
  const math::Bits<Float> bits = math::to_bits(value);
  const math::Bits<Float> hidden = math::Bits<Float>{1} << Format::fraction_bits;
  const Bits digits = (bits & (hidden - 1)) | hidden;
  const int exponent = static_cast<int>(bits >> Format::fraction_bits) & (2 * Format::bias + 1);
  const int shift = exponent - Format::bias - Format::fraction_bits;
  Bits whole = 0;
  if (shift >= 0 && shift < width) whole = digits << shift;
  // Subnormal numbers, which have no hidden digit, are far below 1.
  if (shift < 0 && shift >= -Format::fraction_bits) whole = digits >> -shift;
  return static_cast<To>(math::sign_bit(value) != 0 ? 0 - whole : whole);
}

template <class Integer>
constexpr int digits_of = 8 * sizeof(Integer) - (std::is_signed_v<Integer> ? 1 : 0);
template <class Integer>
constexpr Integer highest = static_cast<Integer>(~uint64_t{0} >> (64 - digits_of<Integer>));
template <class Integer>
constexpr Integer lowest = std::is_signed_v<Integer> ? static_cast<Integer>(-1 - highest<Integer>) : 0;

// The whole part, or the nearest limit of To; 0 for a NaN.
template <class To, class Float>
__device__ To to_saturated(Float value) {
  constexpr To most = highest<To>;
  constexpr To least = lowest<To>;
  if (value != value) return 0;
  // highest itself may lie between two floats.
  if (value >= math::power_of_two<Float>(digits_of<To>)) return most;
  if (value <= static_cast<Float>(least)) return least;
  return static_cast<To>(value);
}

struct Wrap {
  template <class To, class Float>
  __device__ static To whole(Float value) {
    return to_wrapped<To>(value);
  }
  template <class To, class From>
  __device__ static To narrow(From value) {
    return static_cast<To>(value);
  }
};

struct Saturate {
  template <class To, class Float>
  __device__ static To whole(Float value) {
    return to_saturated<To>(value);
  }
  template <class To, class From>
  __device__ static To narrow(From value) {
    const int64_t exact = value;
    constexpr int64_t least = lowest<To>;
    constexpr int64_t most = highest<To>;
    return static_cast<To>(exact < least ? least : exact > most ? most : exact);
  }
};

template <class T>
constexpr bool is_half = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;

template <class Overflow, class To>
struct Cast {
  template <class From>
  __device__ To operator()(From value) const {
    if constexpr (std::is_same_v<To, From>) {
      return value;
    } else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
      return Overflow::template narrow<To>(value);
    } else if constexpr (std::is_integral_v<To>) {
      return Overflow::template whole<To>(widen(value));
    } else if constexpr (is_half<From>) {
      return To(widen(value));
    } else if constexpr (is_half<To> && !std::is_same_v<From, f32>) {
      return to_half<To>(value);
    } else {
      return To(value);
    }
  }
};

#define KCACHE_CAST(name, Overflow, To)                                                         \
  extern "C" __global__ void KCACHE_NAME(name##_to_##To)(int64_t count, const Element* x,       \
                                                         To* out) {                            \
    map(Cast<Overflow, To>(), count, out, x);                                                  \
  }                                                                                            \
  extern "C" __global__ void KCACHE_STRIDED_NAME(name##_to_##To)(Strided<1> walk,              \
                                                                 const Element* x, To* out) {  \
    map_strided(Cast<Overflow, To>(), walk, out, x);                                           \
  }

}  // namespace kcache
