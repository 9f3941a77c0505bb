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
template <int first, int bits>
__device__ float field(uint32_t word, int taken) {
  static_assert(first + bits <= 23);
  constexpr uint32_t mask = ((1u << bits) - 1) << first;
  constexpr uint32_t one = 1u << (23 - first);  // becomes the leading 1 of the fraction
  constexpr uint32_t exponent = static_cast<uint32_t>(127 + 23 - first) << 23;
  return math::from_bits((word & mask) | exponent) - static_cast<float>(one + taken);
}

inline __device__ uint32_t two(const uint16_t* pairs) {
  return pairs[0] | uint32_t{pairs[1]} << 16;
}

// 16 bytes, which are loaded at once if their address allows it.
struct alignas(16) Words {
  uint32_t words[4];
};

inline __device__ bool starts_words(const void* address) {
  return reinterpret_cast<uintptr_t>(address) % alignof(Words) == 0;
}

inline __device__ Words words(const uint16_t* pairs, bool aligned) {
  if (aligned) return *reinterpret_cast<const Words*>(pairs);
  return {{two(pairs), two(pairs + 2), two(pairs + 4), two(pairs + 6)}};
}

// Of each format: weight() gives one weight of a block. For matvec, a block consists of pieces, one
// to a thread: load() gets one, and dot() adds the products of its weights to a sum. It multiplies
// runs of neighbours, which start at begin() and then every `stride` weights.
template <class Block>
struct Format;

template <>
struct Format<q4_0> {
  static constexpr int weights = 32;
  static constexpr int pieces = 2;
  static constexpr int runs = 2;
  static constexpr int run = 8;
  static constexpr int stride = 16;
  static constexpr int rows_at_once = 4;

  struct Piece {
    uint16_t scale;
    uint16_t quants[4];
  };

  static __device__ float weight(const q4_0& block, int i) {
    const uint32_t quant = byte_of(block.quants, i % 16) >> i / 16 * 4 & 15;
    return math::product(half_value(block.scale), static_cast<float>(static_cast<int>(quant) - 8));
  }

  static __device__ int begin(int piece) { return 8 * piece; }

  static __device__ Piece load(const q4_0& block, int piece, bool) {
    const uint16_t* quants = block.quants + 4 * piece;
    return {block.scale, {quants[0], quants[1], quants[2], quants[3]}};
  }

  static __device__ float dot(const Piece& piece, int, const float* x, float sum) {
    float part = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const uint32_t word = piece.quants[k];
      part = math::fused(field<0, 4>(word, 8), x[2 * k], part);
      part = math::fused(field<4, 4>(word, 8), x[2 * k + 8], part);
      part = math::fused(field<8, 4>(word, 8), x[2 * k + 1], part);
      part = math::fused(field<12, 4>(word, 8), x[2 * k + 9], part);
    }
    return math::fused(half_value(piece.scale), part, sum);
  }
};

template <>
struct Format<q8_0> {
  static constexpr int weights = 32;
  static constexpr int pieces = 2;
  static constexpr int runs = 1;
  static constexpr int run = 16;
  static constexpr int stride = 0;
  static constexpr int rows_at_once = 4;

  struct Piece {
    uint16_t scale;
    uint16_t quants[8];
  };

  static __device__ float weight(const q8_0& block, int i) {
    return math::product(half_value(block.scale), signed_byte(byte_of(block.quants, i)));
  }

  static __device__ int begin(int piece) { return 16 * piece; }

  static __device__ Piece load(const q8_0& block, int piece, bool) {
    const uint16_t* quants = block.quants + 8 * piece;
    return {block.scale,
            {quants[0], quants[1], quants[2], quants[3], quants[4], quants[5], quants[6],
             quants[7]}};
  }

  static __device__ float dot(const Piece& piece, int, const float* x, float sum) {
    float part = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const uint32_t word = piece.quants[k] ^ 0x8080u;
      part = math::fused(field<0, 8>(word, 128), x[2 * k], part);
      part = math::fused(field<8, 8>(word, 128), x[2 * k + 1], part);
    }
    return math::fused(half_value(piece.scale), part, sum);
  }
};

// 8 parts of 32 weights. Two parts share 32 bytes of quants, the first one the lower halves. The
// factors of part 0 to 3 are bits 0 to 5 of a byte, s in bytes 0 to 3 and m in 4 to 7. Those of part
// 4 to 7 have their lower 4 bits in bytes 8 to 11, s below m, and their upper 2 in bits 6 and 7 of
// the bytes of part 0 to 3.
template <>
struct Format<q4_k> {
  static constexpr int weights = 256;
  static constexpr int pieces = 8;
  static constexpr int runs = 2;
  static constexpr int run = 16;
  static constexpr int stride = 32;
  static constexpr int rows_at_once = 2;

  struct Piece {
    Words head;
    Words quants;
  };

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

  static __device__ int begin(int piece) { return piece / 2 * 64 + piece % 2 * 16; }

  static __device__ Piece load(const q4_k& block, int piece, bool aligned) {
    return {words(&block.scale, aligned), words(block.quants + 8 * piece, aligned)};
  }

  // The factors of two parts are computed together, in the two bytes of a word.
  static __device__ float dot(const Piece& piece, int number, const float* x, float sum) {
    const uint32_t* head = piece.head.words;
    const int shift = number / 2 % 2 * 16;
    const uint32_t first = head[1] >> shift;
    const uint32_t second = head[2] >> shift;
    const uint32_t third = head[3] >> shift;
    const bool late = number >= 4;
    const uint32_t s = late ? (third & 0x0f0f) | (first >> 2 & 0x3030) : first & 0x3f3f;
    const uint32_t m = late ? (third >> 4 & 0x0f0f) | (second >> 2 & 0x3030) : second & 0x3f3f;
    const float d = half_value(static_cast<uint16_t>(head[0]));
    const float dmin = half_value(static_cast<uint16_t>(head[0] >> 16));
    const float lower_scale = math::product(d, field<0, 6>(s, 0));
    const float upper_scale = math::product(d, field<8, 6>(s, 0));
    const float lower_least = math::product(dmin, field<0, 6>(m, 0));
    const float upper_least = math::product(dmin, field<8, 6>(m, 0));
    float lower = 0;
    float upper = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const uint32_t word = piece.quants.words[k / 2] >> k % 2 * 16;
      lower = add(lower_scale, field<0, 4>(word, 0), lower_least, x[2 * k], lower);
      upper = add(upper_scale, field<4, 4>(word, 0), upper_least, x[2 * k + 16], upper);
      lower = add(lower_scale, field<8, 4>(word, 0), lower_least, x[2 * k + 1], lower);
      upper = add(upper_scale, field<12, 4>(word, 0), upper_least, x[2 * k + 17], upper);
    }
    return sum + (lower + upper);
  }

  static __device__ float add(float scale, float quant, float least, float x, float sum) {
    return math::fused(math::fused(scale, quant, -least), x, sum);
  }
};

// 2 halves of 4 x 32 weights. The 32-byte runs 0 and 1 of a half's lower bits are those of weights
// 0 to 31 and 32 to 63, and in their upper halves of the others; bits 0 and 1 of its 32 bytes of
// upper bits are those of weights 0 to 31, and so on. Each s is that of 16 weights.
template <>
struct Format<q6_k> {
  static constexpr int weights = 256;
  static constexpr int pieces = 16;
  static constexpr int runs = 4;
  static constexpr int run = 4;
  static constexpr int stride = 32;
  static constexpr int rows_at_once = 4;

  struct Piece {
    uint32_t lower[2];
    uint32_t upper;
    uint16_t scale;
    uint16_t factors[4];
  };

  static __device__ float weight(const q6_k& block, int i) {
    const int part = i / 32 % 4;
    const uint32_t lower =
        byte_of(block.lower, i / 128 * 64 + part % 2 * 32 + i % 32) >> part / 2 * 4 & 15;
    const uint32_t upper = byte_of(block.upper, i / 128 * 32 + i % 32) >> part * 2 & 3;
    const float scale =
        math::product(half_value(block.scale), signed_byte(byte_of(block.factors, i / 16)));
    return math::product(scale, static_cast<float>(static_cast<int>(lower | upper << 4) - 32));
  }

  static __device__ int begin(int piece) { return piece / 8 * 128 + piece % 8 * 4; }

  static __device__ Piece load(const q6_k& block, int piece, bool) {
    const int half = piece / 8;
    const uint16_t* lower = block.lower + 32 * half + piece % 8 * 2;
    const uint16_t* factors = block.factors + 4 * half;
    return {{two(lower), two(lower + 16)},
            two(block.upper + 16 * half + piece % 8 * 2),
            block.scale,
            {factors[0], factors[1], factors[2], factors[3]}};
  }

  static __device__ float dot(const Piece& piece, int number, const float* x, float sum) {
    const int shift = number % 8 / 4 * 8;
    float part = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const uint32_t lower = piece.lower[k % 2] >> k / 2 * 4 & 0x0f0f0f0f;
      const uint32_t upper = (k < 2 ? piece.upper << (4 - 2 * k) : piece.upper >> (2 * k - 4));
      const uint32_t quants = lower | (upper & 0x30303030);
      float products = math::product(field<0, 6>(quants, 32), x[4 * k]);
      products = math::fused(field<8, 6>(quants, 32), x[4 * k + 1], products);
      products = math::fused(field<0, 6>(quants >> 16, 32), x[4 * k + 2], products);
      products = math::fused(field<8, 6>(quants >> 16, 32), x[4 * k + 3], products);
      const float factor = field<0, 8>(uint32_t{piece.factors[k]} >> shift ^ 0x80, 128);
      part = math::fused(math::product(half_value(piece.scale), factor), products, part);
    }
    return sum + part;
  }
};

static_assert(sizeof(q4_0) == 18 && sizeof(q8_0) == 34 && sizeof(q4_k) == 144);
static_assert(sizeof(q6_k) == 210);

}  // namespace kcache
