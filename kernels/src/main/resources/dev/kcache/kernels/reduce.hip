// SPDX-License-Identifier: Apache-2.0
//
// The reduce family: one value of each line of elements, out[i] = op over j of x[i, j].
//
//   reduce_<op>_<type>           (Strided<1> kept, Strided<1> reduced, Parts parts, const T* x,
//                                 void* out, int64_t extra)
//   reduce_<op>_<type>_partials  the same of x that such a launch has written as partial values
//
// with <op> and its extra one of
//   sum      out = the sum / extra; extra is 1 for the sum, and for the mean the number of elements
//   extreme  out = the maximum, or the minimum if extra is -1 and not 0
//   arg      out = the index j of the maximum or minimum, the lowest of several; extra as before
// and <type> a name of scalars.h.
//
// Line i begins at x + kept(i), and its element j is reduced(j) behind that. Each line is cut in
// chunks, and a part of a block joins each. If there is one chunk, out[i] is the result: of T, but
// for arg and sums of integers int64_t. Else out[chunk * lines + i] is a partial value: of double
// where T is, float for other floats' sums and uint64_t for those of integers; the key for extreme;
// and the key and the index for arg.
//
// Meaning, the same on every target:
//   sum      floats: f16 and bf16 are added as float. Each chunk of at most 64 elements per lane adds
//            up to 16 elements one after the other, in each of 4 sums of a lane, and joins the rest
//            pairwise: at most 25 additions for 256 lanes. Sums of zeros are +0. Integers: modulo
//            2^64.
//   extreme  NaN if any element is; -0 is less than +0. A NaN's sign and payload are not specified.
//   arg      a NaN comes before all others; -0 equals +0.
// A line without elements has the sum 0 and the mean NaN; the others need one.
//
// Blocks have 256 threads; any number of blocks is right.
#include <hip/hip_runtime.h>
#include <stdint.h>

#include <type_traits>

#include "block.h"
#include "exact.h"

namespace kcache {

constexpr int block_size = 256;
constexpr int size = 4;  // of a pack
constexpr int at_once = sizeof(Element) == 8 ? 2 : 4;  // packs that a lane reads before it uses them

struct Parts {
  int64_t lanes;   // of a line: a power of two, at most 256
  int64_t across;  // whether neighbouring threads have neighbouring lines
  int64_t chunk;   // elements, a multiple of 4 * lanes
  int64_t chunks;  // of a line, at least 1
};

// ---- what is computed ----------------------------------------------------------------------------

template <class T, class Value>
__device__ auto quotient(Value sum, int64_t divisor) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(sum);
  } else {
    return T(sum / static_cast<Value>(divisor));
  }
}

// An operation has partial values, and others that a lane holds while it walks: fold() adds the
// element of a turn to one, and value() gives the partial value, by the index of turn 0 and the
// distance of turns.
struct Sum {
  using Value = decltype(term(Element()));
  using Held = Value;

  int64_t divisor;

  __device__ Held start() const { return 0; }
  __device__ Held fold(Held sum, Element element, int32_t) const { return sum + term(element); }
  __device__ Value value(Held sum, int64_t, int64_t) const { return sum; }
  __device__ Value operator()(Value a, Value b) const { return a + b; }
  __device__ auto finish(Value sum) const { return quotient<Element>(sum, divisor); }
};

// Elements as signed integers in the same order. All bits of the key are turned for the minimum.
using Key = std::conditional_t<sizeof(widen(Element())) == 8, int64_t, int32_t>;
using UnsignedKey = std::make_unsigned_t<Key>;
constexpr UnsignedKey key_sign = UnsignedKey(1) << (8 * sizeof(Key) - 1);
constexpr Key greatest_key = static_cast<Key>(key_sign - 1);
constexpr Key least_key = -greatest_key - 1;

// All ones if a number is negative, and else 0: a mask, since comparisons take scalar registers.
inline __device__ Key if_negative(Key number) { return number >> (8 * sizeof(Key) - 1); }

// The bits of a float are ordered as its magnitude is; so those of a negative one are turned.
inline __device__ Key turn_negative(Key key) { return key ^ (if_negative(key) & greatest_key); }

template <class T>
__device__ Key key_of(T element, Key turned) {
  if constexpr (std::is_same_v<T, u32>) {
    return static_cast<Key>(element ^ key_sign) ^ turned;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<Key>(element) ^ turned;
  } else {
    const auto bits = static_cast<Key>(math::to_bits(widen(element)));
    const auto infinity = static_cast<Key>(math::to_bits(math::infinity<decltype(widen(T()))>()));
    const Key is_nan = if_negative(infinity - (bits & greatest_key));
    return ((turn_negative(bits) ^ turned) & ~is_nan) | (greatest_key & is_nan);
  }
}

template <class T>
__device__ auto without_sign_of_zero(T element) {
  if constexpr (std::is_integral_v<T>) {
    return element;
  } else {
    const auto bits = static_cast<Key>(math::to_bits(widen(element)));
    const Key is_zero = if_negative((bits & greatest_key) - 1);
    return math::from_bits(static_cast<UnsignedKey>(bits & ~is_zero));
  }
}

template <class T>
__device__ T element_of(Key key, Key turned) {
  if constexpr (std::is_same_v<T, u32>) {
    return static_cast<UnsignedKey>(key ^ turned) ^ key_sign;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(key ^ turned);
  } else {
    if (key == greatest_key) return T(math::not_a_number<decltype(widen(T()))>());
    return T(math::from_bits(static_cast<UnsignedKey>(turn_negative(key ^ turned))));
  }
}

struct Extreme {
  using Value = Key;
  using Held = Key;

  Key turned;

  __device__ Held start() const { return least_key; }

  __device__ Held fold(Held most, Element element, int32_t) const {
    return (*this)(most, key_of(element, turned));
  }

  __device__ Value value(Held most, int64_t, int64_t) const { return most; }

  __device__ Value operator()(Value a, Value b) const { return a < b ? b : a; }

  __device__ Element finish(Value most) const { return element_of<Element>(most, turned); }
};

struct Place {
  Key key;
  int64_t index;
};

// What elements are compared as. A float keeps its own comparisons, which are the fastest, but for
// its sign: the greatest is looked for.
template <class T>
__device__ auto rank_of(T element, Key turned) {
  if constexpr (std::is_integral_v<T>) {
    return key_of(element, turned);
  } else {
    return math::flip_sign(widen(element), static_cast<UnsignedKey>(turned) & key_sign);
  }
}

using Rank = decltype(rank_of(Element(), Key()));

template <class T>
__device__ T least_rank() {
  if constexpr (std::is_integral_v<T>) {
    return least_key;
  } else {
    return -math::infinity<T>();
  }
}

// A NaN is not <=, and the first one stays.
template <class T>
__device__ bool is_better(T rank, T best) {
  if constexpr (std::is_integral_v<T>) {
    return rank > best;
  } else {
    return !(rank <= best) && best == best;
  }
}

struct Turn {
  Rank rank;
  int32_t number;
};

struct Arg {
  using Value = Place;
  using Held = Turn;

  Key turned;

  // No element has a lower rank, and none that is there a higher index than one that is not.
  __device__ Held start() const { return {least_rank<Rank>(), 0}; }

  // The turn comes after those before.
  __device__ Held fold(Held best, Element element, int32_t turn) const {
    const Rank rank = rank_of(element, turned);
    return is_better(rank, best.rank) ? Turn{rank, turn} : best;
  }

  __device__ Value value(Held best, int64_t first, int64_t step) const {
    return {key_of(without_sign_of_zero(best.rank), Key(0)), first + best.number * step};
  }

  __device__ Value operator()(Value a, Value b) const {
    return b.key > a.key || (b.key == a.key && b.index < a.index) ? b : a;
  }

  __device__ int64_t finish(Value best) const { return best.index; }
};

// ---- the walk ------------------------------------------------------------------------------------

// One lane's share of a chunk: packs that are as many packs apart as there are lanes.
template <class Op, class Source>
struct Share {
  typename Op::Held values[size];
  int32_t turn = 0;

  __device__ explicit Share(const Op& op) {
    for (int k = 0; k < size; ++k) values[k] = op.start();
  }

  __device__ void fold(const Op& op, const Pack<Source, size>& pack) {
    for (int k = 0; k < size; ++k) values[k] = op.fold(values[k], pack.elements[k], turn);
    ++turn;
  }

  // Of a pack of which only so many elements are there.
  __device__ void fold_some(const Op& op, const Pack<Source, size>& pack, int64_t count) {
    for (int k = 0; k < size; ++k) {
      if (k < count) values[k] = op.fold(values[k], pack.elements[k], turn);
    }
    ++turn;
  }

  // By the index of the first element, and the distance of packs.
  __device__ auto join(const Op& op, int64_t first, int64_t step) const {
    return op(op(op.value(values[0], first, step), op.value(values[1], first + 1, step)),
              op(op.value(values[2], first + 2, step), op.value(values[3], first + 3, step)));
  }
};

// Reads neighbours of a line that is not evenly spaced, but the last one again in place of what is
// beyond the end. A rolled loop keeps to the scalar registers.
template <class Source>
__device__ Pack<Source, size> gather(const Source* x, const Strided<1>& reduced, int64_t i,
                                     int64_t end) {
  Pack<Source, size> pack;
#pragma unroll 1
  for (int64_t j = i; j < i + size; ++j) {
    for (int k = 1; k < size; ++k) pack.elements[k - 1] = pack.elements[k];
    pack.elements[size - 1] = x[locate(reduced, j < end ? j : end - 1).of[0]];
  }
  return pack;
}

template <class Op>
__device__ auto reduce_elements(const Op& op, int64_t step, const Strided<1>& reduced, int64_t i,
                                int64_t end, const Element* x) {
  Share<Op, Element> share(op);
  const int64_t first = i;
  if (reduced.rank == 1) {
    const int64_t stride = reduced.strides[0][0];
    const bool packed = stride == 1 && starts_pack<Element, size>(x);
    const Element* at = x + i * stride;
    while (i + (at_once - 1) * step + size <= end) {
      Pack<Element, size> packs[at_once];
      // From one address to the next: products of strides would take all scalar registers.
      if (packed) {
        for (int p = 0; p < at_once; ++p, at += step) {
          packs[p] = *reinterpret_cast<const Pack<Element, size>*>(at);
        }
      } else {
        for (int p = 0; p < at_once; ++p, at += step * stride) {
          const Element* next = at;
          for (int k = 0; k < size; ++k, next += stride) packs[p].elements[k] = *next;
        }
      }
      for (int p = 0; p < at_once; ++p, i += step) share.fold(op, packs[p]);
    }
  }
#pragma unroll 1
  for (; i < end; i += step) share.fold_some(op, gather(x, reduced, i, end), end - i);
  return share.join(op, first, step);
}

// An operation on partial values.
template <class Op>
struct Joining : Op {
  using Held = typename Op::Value;
  __device__ Held start() const { return Op::value(Op::start(), 0, 0); }
  __device__ Held fold(Held value, Held more, int32_t) const { return (*this)(value, more); }
  __device__ Held value(Held value, int64_t, int64_t) const { return value; }
};

template <class Op>
__device__ auto reduce_values(const Op& op, int64_t step, int64_t stride, int64_t i, int64_t end,
                                const typename Op::Value* x) {
  using Value = typename Op::Value;
  const Joining<Op> joining{op};
  Share<Joining<Op>, Value> share(joining);
#pragma unroll 1
  for (; i < end; i += step) {
    Pack<Value, size> pack;
    for (int k = 0; k < size; ++k) pack.elements[k] = x[(i + k < end ? i + k : i) * stride];
    share.fold_some(joining, pack, end - i);
  }
  return share.join(joining, 0, 0);
}

// The chunks of all lines, of which a block takes one of as many lines as it has room for.
struct Tiles {
  Lanes lanes;
  int64_t lines;
  int64_t length;  // of a line
  int64_t tiles;   // of the lines

  // What a thread has of a chunk.
  struct Tile {
    int64_t chunk;
    int64_t line;
    int64_t first;
    int64_t end;
  };

  __device__ Tiles(const Parts& parts, int64_t lines, int64_t length)
      : lanes(parts.lanes, parts.across != 0),
        lines(lines),
        length(length),
        tiles((lines + lanes.lines - 1) / lanes.lines) {}

  __device__ int64_t step() const { return int64_t{size} * lanes.count; }

  __device__ Tile at(int64_t index, const Parts& parts) const {
    const int64_t chunk = index / tiles;
    const int64_t begin = chunk * parts.chunk;
    return {chunk, (index - chunk * tiles) * lanes.lines + lanes.line, begin + size * lanes.lane,
            length - begin < parts.chunk ? length : begin + parts.chunk};
  }

  template <class Op>
  __device__ void write(const Op& op, const Parts& parts, const Tile& tile,
                        typename Op::Value value, typename Op::Value* shared, void* out) const {
    using Value = typename Op::Value;
    value = join_lanes(lanes, value, shared, op);
    if (lanes.lane > 0 || tile.line >= lines) return;
    if (parts.chunks > 1) {
      static_cast<Value*>(out)[tile.chunk * lines + tile.line] = value;
    } else {
      static_cast<decltype(op.finish(value))*>(out)[tile.line] = op.finish(value);
    }
  }
};

template <class Op>
__device__ void reduce(const Op& op, const Strided<1>& kept, const Strided<1>& reduced,
                       const Parts& parts, const Element* x, typename Op::Value* shared,
                       void* out) {
  const Tiles tiles(parts, kept.count, reduced.count);
  for (int64_t i = blockIdx.x; i < tiles.tiles * parts.chunks; i += gridDim.x) {
    const auto tile = tiles.at(i, parts);
    auto value = op.value(op.start(), tile.first, 0);
    if (tile.line < kept.count) {
      value = reduce_elements(op, tiles.step(), reduced, tile.first, tile.end,
                              x + locate(kept, tile.line).of[0]);
    }
    tiles.write(op, parts, tile, value, shared, out);
  }
}

template <class Op>
__device__ void reduce_partials(const Op& op, int64_t lines, int64_t length, const Parts& parts,
                                const typename Op::Value* x, typename Op::Value* shared,
                                void* out) {
  const Tiles tiles(parts, lines, length);
  for (int64_t i = blockIdx.x; i < tiles.tiles * parts.chunks; i += gridDim.x) {
    const auto tile = tiles.at(i, parts);
    auto value = op.value(op.start(), tile.first, 0);
    if (tile.line < lines) {
      value = reduce_values(op, tiles.step(), lines, tile.first, tile.end, x + tile.line);
    }
    tiles.write(op, parts, tile, value, shared, out);
  }
}

#define KERNELS(name, Op, Extra)                                                                  \
  extern "C" __global__ __launch_bounds__(block_size) void KCACHE_NAME(reduce_##name)(            \
      Strided<1> kept, Strided<1> reduced, Parts parts, const Element* x, void* out,              \
      int64_t extra) {                                                                            \
    __shared__ Op::Value shared[2 * block_size];                                                  \
    reduce(Op{static_cast<Extra>(extra)}, kept, reduced, parts, x, shared, out);                  \
  }                                                                                               \
  extern "C" __global__ __launch_bounds__(block_size) void KCACHE_JOIN_EXPANDED(                  \
      reduce_##name, KCACHE_TYPE, _partials)(int64_t lines, int64_t length, Parts parts,          \
                                             const Op::Value* x, void* out, int64_t extra) {      \
    __shared__ Op::Value shared[2 * block_size];                                                  \
    reduce_partials(Op{static_cast<Extra>(extra)}, lines, length, parts, x, shared, out);         \
  }

KERNELS(sum, Sum, int64_t)
KERNELS(extreme, Extreme, Key)
KERNELS(arg, Arg, Key)

}  // namespace kcache
