// SPDX-License-Identifier: Apache-2.0
//
// Blocks of quantized weights, as GGUF files have them, and how to compute with them.
//
// The formats are those of ggml (ggml-common.h and docs of https://github.com/ggml-org/ggml; in
// words, https://github.com/ggml-org/llama.cpp/pull/1684): d and dmin are f16, quants q unsigned
// unless said otherwise, and all numbers little-endian.
//
//   format  weights  bytes  layout                                       weight
//   q4_0    32       18     d, 32 x 4 bits                               d (q - 8)
//   q8_0    32       34     d, 32 x signed 8 bits                        d q
//   q4_k    256      144    d, dmin, 8 x (6-bit s, 6-bit m), 256 x 4     d s q - dmin m
//   q6_k    256      210    256 x lower 4 bits, 256 x upper 2 bits,      d s (q - 32)
//                           16 x signed 8-bit s, d
#pragma once

#include <hip/hip_runtime.h>
#include <stdint.h>

#include "exact.h"
#include "scalars.h"

namespace kcache {

// Fields that have a name of their own are f16 by their bits. Bytes are kept in pairs: an odd
// number of them cannot start at an even address otherwise, and pairs are read faster.
struct q4_0 {
  uint16_t scale;
  uint16_t quants[8];
};

struct q8_0 {
  uint16_t scale;
  uint16_t quants[16];
};

struct q4_k {
  uint16_t scale;
  uint16_t least_scale;
  uint16_t factors[6];
  uint16_t quants[64];
};

struct q6_k {
  uint16_t lower[64];
  uint16_t upper[32];
  uint16_t factors[8];
  uint16_t scale;
};

inline __device__ float half_value(uint16_t bits) {
#ifdef __HIP_PLATFORM_NVIDIA__
  return widen(__ushort_as_half(bits));
#else
  return widen(__builtin_bit_cast(f16, bits));
#endif
}

inline __device__ uint32_t byte_of(const uint16_t* pairs, int i) {
  return pairs[i / 2] >> i % 2 * 8 & 0xff;
}

inline __device__ float signed_byte(uint32_t byte) {
  return static_cast<float>(static_cast<int>(byte ^ 0x80) - 0x80);
}

// The bits of a word from the first on, as a number that something is taken from: exact. They are
// made the fraction of a float, since GPUs of NVIDIA convert integers at an eighth of their speed.
// zero is 0, which nvcc must not know: it would split `&` and `|`, which are one instruction if the
// exponent comes from a register, into two with a constant each.
template <int first, int bits>
__device__ float field(uint32_t word, int taken, uint32_t zero) {
  static_assert(first + bits <= 23);
  constexpr uint32_t mask = ((1u << bits) - 1) << first;
  constexpr uint32_t one = 1u << (23 - first);  // becomes the leading 1 of the fraction
  constexpr uint32_t exponent = static_cast<uint32_t>(127 + 23 - first) << 23;
  return math::from_bits((word & mask) | (exponent + zero)) - static_cast<float>(one + taken);
}

// 16 bytes, as many as one memory access moves. Clang for AMD would keep a struct in memory, and nvcc
// has no such vectors.
#ifdef __HIP_PLATFORM_NVIDIA__
struct alignas(16) Words {
  uint32_t words[4];

  __device__ uint32_t operator[](int i) const { return words[i]; }
  __device__ uint32_t& operator[](int i) { return words[i]; }
};
#else
using Words = uint32_t __attribute__((ext_vector_type(4)));
#endif

inline __device__ bool starts_words(const void* address) {
  return reinterpret_cast<uintptr_t>(address) % sizeof(Words) == 0;
}

// The elements of x that a thread multiplies weights with.
struct Share {
  static constexpr int weights = 64;

  float x[weights];
  float sums[4];  // of the quarters
  bool whole;     // or else the second half lies behind the row's end
  uint32_t zero;  // for field()

  __device__ void add_up() {
#pragma unroll
    for (int quarter = 0; quarter < 4; ++quarter) {
      float parts[2] = {};
#pragma unroll
      for (int k = 0; k < weights / 4; ++k) parts[k % 2] += x[weights / 4 * quarter + k];
      sums[quarter] = parts[0] + parts[1];
    }
  }

  __device__ float sum_of_half(int half) const { return sums[2 * half] + sums[2 * half + 1]; }
};

// Two numbers of at most ten bits, from the bits 0 and 16 of a word on, times 2^-24: that is what they
// are as halves, subnormal ones. It takes fewer operations than field().
struct Fields {
  static constexpr float raise = 0x1p24f;

  uint32_t word;

  __device__ Fields(uint32_t word, uint32_t mask) : word(word & mask) {}

  __device__ float lower() const { return half_value(static_cast<uint16_t>(word)); }
  __device__ float upper() const { return half_value(static_cast<uint16_t>(word >> 16)); }
};

// Sums of the products of quants of 4 bits. Those in the upper bits of bytes belong to elements of x
// that lie `distance` behind the others.
template <int distance>
class Nibbles {
 public:
  // Adds a word, whose bytes 0 and 1 belong to the elements from first on, 2 and 3 from second on.
  __device__ void add(uint32_t word, const float* first, const float* second) {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const Fields low(word >> 8 * k, 0x000f000f);
      const Fields high(word >> 8 * k, 0x00f000f0);
      lower[0] = math::fused(low.lower(), first[k], lower[0]);
      upper[0] = math::fused(high.lower(), first[k + distance], upper[0]);
      lower[1] = math::fused(low.upper(), second[k], lower[1]);
      upper[1] = math::fused(high.upper(), second[k + distance], upper[1]);
    }
  }

  __device__ float lower_sum() const { return math::product(lower[0] + lower[1], Fields::raise); }
  __device__ float upper_sum() const {
    return math::product(upper[0] + upper[1], Fields::raise / 16);
  }

 private:
  float lower[2] = {};
  float upper[2] = {};
};

// Of each format: weight() gives one weight of a block. For matvec, dot() gives the sum of the
// products of a thread's share of a row, which is in shared memory. column() says where in the row
// the k-th weight of that share lies. A thread multiplies its share of `rows_at_once` rows.
template <class Block>
struct Format;

template <>
struct Format<q4_0> {
  static constexpr int weights = 32;
  static constexpr int rows_at_once = 2;

  static __device__ float weight(const q4_0& block, int i) {
    const uint32_t quant = byte_of(block.quants, i % 16) >> i / 16 * 4 & 15;
    return math::product(half_value(block.scale), static_cast<float>(static_cast<int>(quant) - 8));
  }

  static __device__ int column(int lane, int k) { return lane * Share::weights + k; }

  static __device__ float dot(const Words* row, int lane, const Share& share) {
    const uint32_t* from = reinterpret_cast<const uint32_t*>(row) + 9 * lane;
    uint32_t words[9];
#pragma unroll
    for (int k = 0; k < 9; ++k) words[k] = from[k];
    const float* x = share.x;
    // The first block begins and ends within a word.
    Nibbles<16> first;
    first.add((words[4] & 0xffff) | (words[0] & 0xffff0000), x + 14, x);
#pragma unroll
    for (int k = 0; k < 3; ++k) first.add(words[1 + k], x + 2 + 4 * k, x + 4 + 4 * k);
    const float product = math::product(half_value(static_cast<uint16_t>(words[0])),
                                        sum(first, share.sum_of_half(0)));
    if (!share.whole) return product;
    x += 32;
    Nibbles<16> second;
#pragma unroll
    for (int k = 0; k < 4; ++k) second.add(words[5 + k], x + 4 * k, x + 4 * k + 2);
    return math::fused(half_value(static_cast<uint16_t>(words[4] >> 16)),
                       sum(second, share.sum_of_half(1)), product);
  }

  static __device__ float sum(const Nibbles<16>& nibbles, float sum_of_x) {
    return math::fused(-8.0f, sum_of_x, nibbles.lower_sum() + nibbles.upper_sum());
  }
};

template <>
struct Format<q8_0> {
  static constexpr int weights = 32;
  static constexpr int rows_at_once = 1;

  static __device__ float weight(const q8_0& block, int i) {
    return math::product(half_value(block.scale), signed_byte(byte_of(block.quants, i)));
  }

  static __device__ int column(int lane, int k) { return lane * Share::weights + k; }

  static __device__ float dot(const Words* row, int lane, const Share& share) {
    const uint32_t* from = reinterpret_cast<const uint32_t*>(row) + 17 * lane;
    uint32_t words[17];
#pragma unroll
    for (int k = 0; k < 17; ++k) words[k] = from[k];
    float sum = 0;
#pragma unroll
    for (int b = 0; b < 2; ++b) {
      float even = 0;
      float odd = 0;
#pragma unroll
      for (int k = 0; k < 16; ++k) {
        const int at = 34 * b + 2 + 2 * k;
        const uint32_t pair = (words[at / 4] ^ 0x80808080u) >> at % 4 * 8;
        const float* x = share.x + 32 * b + 2 * k;
        even = math::fused(field<0, 8>(pair, 128, share.zero), x[0], even);
        odd = math::fused(field<8, 8>(pair, 128, share.zero), x[1], odd);
      }
      if (b > 0 && !share.whole) break;
      const uint32_t scale = words[34 * b / 4] >> 34 * b % 4 * 8;
      sum = math::fused(half_value(static_cast<uint16_t>(scale)), even + odd, sum);
    }
    return sum;
  }
};

// 8 parts of 32 weights. Two parts share 32 bytes of quants, the first one the lower halves. The
// factors of part 0 to 3 are bits 0 to 5 of a byte, s in bytes 0 to 3 and m in 4 to 7. Those of part
// 4 to 7 have their lower 4 bits in bytes 8 to 11, s below m, and their upper 2 in bits 6 and 7 of
// the bytes of part 0 to 3.
template <>
struct Format<q4_k> {
  static constexpr int weights = 256;
  static constexpr int rows_at_once = 2;

  static __device__ float weight(const q4_k& block, int i) {
    const int part = i / 32;
    const uint32_t quant = byte_of(block.quants, i / 64 * 32 + i % 32) >> part % 2 * 4 & 15;
    uint32_t s = byte_of(block.factors, part % 4);
    uint32_t m = byte_of(block.factors, part % 4 + 4);
    if (part < 4) {
      s &= 63;
      m &= 63;
    } else {
      const uint32_t lower = byte_of(block.factors, part + 4);
      s = (lower & 15) | s >> 6 << 4;
      m = lower >> 4 | m >> 6 << 4;
    }
    const float scale = math::product(half_value(block.scale), static_cast<float>(s));
    const float least = math::product(half_value(block.least_scale), static_cast<float>(m));
    return math::product(scale, static_cast<float>(quant)) - least;
  }

  static __device__ int column(int lane, int k) { return lane * Share::weights + k; }

  static __device__ float dot(const Words* row, int lane, const Share& share) {
    const Words* block = row + lane / 4 * 9;
    const int quarter = lane % 4;
    const Words head = block[0];
    const Words quants[2] = {block[1 + 2 * quarter], block[2 + 2 * quarter]};
    const int shift = quarter % 2 * 16;
    const uint32_t first = head[1] >> shift;
    const uint32_t second = head[2] >> shift;
    const uint32_t third = head[3] >> shift;
    const bool late = quarter >= 2;
    const uint32_t s = late ? (third & 0x0f0f) | (first >> 2 & 0x3030) : first & 0x3f3f;
    const uint32_t m = late ? (third >> 4 & 0x0f0f) | (second >> 2 & 0x3030) : second & 0x3f3f;
    const float d = half_value(static_cast<uint16_t>(head[0]));
    const float dmin = half_value(static_cast<uint16_t>(head[0] >> 16));
    Nibbles<32> nibbles;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const float* x = share.x + 4 * k;
      nibbles.add(quants[k / 4][k % 4], x, x + 2);
    }
    const float scaled =
        math::fused(field<0, 6>(s, 0, share.zero), nibbles.lower_sum(),
                    math::product(field<8, 6>(s, 0, share.zero), nibbles.upper_sum()));
    const float least =
        math::fused(field<0, 6>(m, 0, share.zero), share.sum_of_half(0),
                    math::product(field<8, 6>(m, 0, share.zero), share.sum_of_half(1)));
    return math::fused(d, scaled, -math::product(dmin, least));
  }
};

// 2 halves of 4 x 32 weights. The 32-byte runs 0 and 1 of a half's lower bits are those of weights
// 0 to 31 and 32 to 63, and in their upper halves of the others; bits 0 and 1 of its 32 bytes of
// upper bits are those of weights 0 to 31, and so on. Each s is that of 16 weights.
template <>
struct Format<q6_k> {
  static constexpr int weights = 256;
  static constexpr int rows_at_once = 1;

  static __device__ float weight(const q6_k& block, int i) {
    const int part = i / 32 % 4;
    const uint32_t lower =
        byte_of(block.lower, i / 128 * 64 + part % 2 * 32 + i % 32) >> part / 2 * 4 & 15;
    const uint32_t upper = byte_of(block.upper, i / 128 * 32 + i % 32) >> part * 2 & 3;
    const float scale =
        math::product(half_value(block.scale), signed_byte(byte_of(block.factors, i / 16)));
    return math::product(scale, static_cast<float>(static_cast<int>(lower | upper << 4) - 32));
  }

  static __device__ int column(int lane, int k) {
    return lane / 2 * 128 + lane % 2 * 16 + k / 16 * 32 + k % 16;
  }

  static __device__ float dot(const Words* row, int lane, const Share& share) {
    const uint32_t* words = reinterpret_cast<const uint32_t*>(row);
    const int half = lane / 2 % 2;
    const int side = lane % 2;
    const int begin = lane / 4 * static_cast<int>(sizeof(q6_k));
    const int shift = begin % 4 * 8;
    uint32_t lower[2][4];
    uint32_t upper[4];
    uint32_t factors[2];
    load(words, begin + 64 * half + 16 * side, shift, lower[0]);
    load(words, begin + 64 * half + 32 + 16 * side, shift, lower[1]);
    load(words, begin + 128 + 32 * half + 16 * side, shift, upper);
    load(words, begin + 192 + 8 * half, shift, factors);
    const uint32_t scale = words[(begin + 208) / 4] >> shift;
    float sum = 0;
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      float products[2] = {};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const uint32_t low = lower[part % 2][k] >> part / 2 * 4;
        const uint32_t up = part < 2 ? upper[k] << (4 - 2 * part) : upper[k] >> (2 * part - 4);
        const uint32_t quants = up ^ ((up ^ low) & 0x0f0f0f0f);  // low's bits under the mask
        const Fields even(quants, 0x003f003f);
        const Fields odd(quants >> 8, 0x003f003f);
        const float* x = share.x + 16 * part + 4 * k;
        products[0] = math::fused(even.lower(), x[0], products[0]);
        products[1] = math::fused(odd.lower(), x[1], products[1]);
        products[0] = math::fused(even.upper(), x[2], products[0]);
        products[1] = math::fused(odd.upper(), x[3], products[1]);
      }
      const float product = math::fused(products[0] + products[1], Fields::raise,
                                        math::product(-32.0f, share.sums[part]));
      const uint32_t factor = factors[part / 2] >> (part % 2 * 16 + 8 * side);
      sum = math::fused(field<0, 8>(factor ^ 0x80, 128, share.zero), product, sum);
    }
    return math::product(half_value(static_cast<uint16_t>(scale)), sum);
  }

  template <int count>
  static __device__ void load(const uint32_t* words, int at, int shift, uint32_t (&to)[count]) {
    uint32_t raw[count + 1];
#pragma unroll
    for (int k = 0; k <= count; ++k) raw[k] = words[at / 4 + k];
#pragma unroll
    for (int k = 0; k < count; ++k) {
      to[k] = static_cast<uint32_t>((raw[k] | uint64_t{raw[k + 1]} << 32) >> shift);
    }
  }
};

static_assert(sizeof(q4_0) == 18 && sizeof(q8_0) == 34 && sizeof(q4_k) == 144);
static_assert(sizeof(q6_k) == 210);

// What a unit is of: numbers, which weights become or are multiplied with, and a format.
template <class T, class Stored>
struct Quantized {
  using Number = T;
  using Block = Stored;
};

using f32_q4_0 = Quantized<f32, q4_0>;
using f32_q8_0 = Quantized<f32, q8_0>;
using f32_q4_k = Quantized<f32, q4_k>;
using f32_q6_k = Quantized<f32, q6_k>;
using f16_q4_0 = Quantized<f16, q4_0>;
using f16_q8_0 = Quantized<f16, q8_0>;
using f16_q4_k = Quantized<f16, q4_k>;
using f16_q6_k = Quantized<f16, q6_k>;
using bf16_q4_0 = Quantized<bf16, q4_0>;
using bf16_q8_0 = Quantized<bf16, q8_0>;
using bf16_q4_k = Quantized<bf16, q4_k>;
using bf16_q6_k = Quantized<bf16, q6_k>;

}  // namespace kcache
