// SPDX-License-Identifier: Apache-2.0
//
// The argsort family: for each row of x the places of its elements, in their order.
//
//   argsort_tiles_<type>  (int64_t rows, int64_t row_size, int32_t width_bits, int32_t merging,
//                          int32_t descending, const T* x, int64_t* out)
//   argsort_step_<type>   (int64_t rows, int64_t row_size, int32_t pair_bits, int64_t distance,
//                          int32_t mirrored, int32_t descending, const T* x, int64_t* out)
//
// Both sort the places, which lie in out, by a bitonic network. A NaN counts as greater than all
// other values and -0 as equal to +0; of equal elements the one that stands first comes first, in
// either direction.
//
// The network compares the element and, for equal ones, the place, so that no two are equal and every
// network gives the same. It has the form in which each comparison moves the greater one up: the
// first step of each merge compares elements that are mirrored at the middle. So what a row lacks to
// a power of two, and would be greatest, would never move; comparisons with it are left out.
//
// argsort_tiles sorts parts of 2^width_bits <= 1,024 places in shared memory, some short rows or a
// part of a long one in each block; if merging, it does only the last steps of a merge, those within
// a part. argsort_step does one step of a merge in global memory, for 2^pair_bits pairs in each row.
// Any one-dimensional launch is right. A row has at most 2^31 - 1 elements.
#include <hip/hip_runtime.h>
#include <stdint.h>

#include <type_traits>

#include "exact.h"
#include "unit.h"

namespace kcache {

constexpr int tile = 1024;

using Key = std::conditional_t<sizeof(Element) == 8, uint64_t, uint32_t>;

constexpr Key greatest = ~Key{0};

// An unsigned integer that is ordered as the elements are.
template <class T>
__device__ Key ascending_key(T element) {
  constexpr Key top = ~(greatest >> 1);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<Key>(widen(element)) ^ (std::is_signed_v<T> ? top : Key{0});
  } else {
    using Float = decltype(widen(element));
    const Key bits = math::to_bits(widen(element));
    const Key magnitude = bits & ~top;
    if (magnitude > math::to_bits(math::infinity<Float>())) return greatest;
    if (magnitude == 0) return top;
    return (bits & top) != 0 ? ~bits : bits | top;
  }
}

__device__ Key key_of(Element element, int32_t descending) {
  const Key key = ascending_key(element);
  return descending != 0 ? ~key : key;
}

__device__ bool precedes(Key key, int64_t place, Key other_key, int64_t other_place) {
  return key < other_key || (key == other_key && place < other_place);
}

struct Pair {
  int64_t low;
  int64_t high;
};

// The places that a step compares in the index-th pair. The distance is a power of two.
__device__ Pair pair_at(int64_t index, int64_t distance, bool mirrored) {
  const int64_t rest = index & (distance - 1);
  const int64_t start = 2 * (index - rest);
  return {start + rest, start + (mirrored ? 2 * distance - 1 - rest : distance + rest)};
}

__device__ void step(Key* keys, uint32_t* places, int distance, bool mirrored) {
  for (int i = threadIdx.x; i < tile / 2; i += blockDim.x) {
    const Pair pair = pair_at(i, distance, mirrored);
    const Key low = keys[pair.low];
    const Key high = keys[pair.high];
    const uint32_t low_place = places[pair.low];
    const uint32_t high_place = places[pair.high];
    if (precedes(high, high_place, low, low_place)) {
      keys[pair.low] = high;
      keys[pair.high] = low;
      places[pair.low] = high_place;
      places[pair.high] = low_place;
    }
  }
  __syncthreads();
}

// Where a place of a tile is: parts of 2^width_bits places follow each other, row after row.
struct Position {
  int64_t row;
  int64_t column;
};

__device__ Position position_of(int64_t index, int64_t row_size, int32_t width_bits) {
  const int64_t parts = (row_size + (int64_t{1} << width_bits) - 1) >> width_bits;
  const int64_t part = index >> width_bits;
  const int64_t within = index & ((int64_t{1} << width_bits) - 1);
  if (parts == 1) return {part, within};
  const int64_t row = part / parts;
  return {row, ((part - row * parts) << width_bits) + within};
}

extern "C" __global__ void KCACHE_NAME(argsort_tiles)(int64_t rows, int64_t row_size,
                                                      int32_t width_bits, int32_t merging,
                                                      int32_t descending, const Element* x,
                                                      int64_t* out) {
  __shared__ Key keys[tile];
  __shared__ uint32_t places[tile];
  const int64_t parts = rows * ((row_size + (int64_t{1} << width_bits) - 1) >> width_bits);
  const int width = 1 << width_bits;
  for (int64_t first = int64_t{blockIdx.x} * tile; first < parts << width_bits;
       first += int64_t{gridDim.x} * tile) {
    for (int i = threadIdx.x; i < tile; i += blockDim.x) {
      const Position at = position_of(first + i, row_size, width_bits);
      // What lies beyond the row counts as greater than all of it, by its place.
      Key key = greatest;
      int64_t place = at.column;
      if (at.row < rows && at.column < row_size) {
        if (merging != 0) place = out[at.row * row_size + at.column];
        key = key_of(x[at.row * row_size + place], descending);
      }
      keys[i] = key;
      places[i] = static_cast<uint32_t>(place);
    }
    __syncthreads();
    for (int size = merging != 0 ? width : 2; size <= width; size *= 2) {
      if (merging == 0) step(keys, places, size / 2, true);
      for (int distance = merging != 0 ? size / 2 : size / 4; distance > 0; distance /= 2) {
        step(keys, places, distance, false);
      }
    }
    for (int i = threadIdx.x; i < tile; i += blockDim.x) {
      const Position at = position_of(first + i, row_size, width_bits);
      if (at.row < rows && at.column < row_size) out[at.row * row_size + at.column] = places[i];
    }
  }
}

extern "C" __global__ void KCACHE_NAME(argsort_step)(int64_t rows, int64_t row_size,
                                                     int32_t pair_bits, int64_t distance,
                                                     int32_t mirrored, int32_t descending,
                                                     const Element* x, int64_t* out) {
  for (int64_t i = grid_thread(); i < rows << pair_bits; i += grid_threads()) {
    const int64_t start = (i >> pair_bits) * row_size;
    const Pair pair = pair_at(i & ((int64_t{1} << pair_bits) - 1), distance, mirrored != 0);
    if (pair.high < row_size) {
      const int64_t low = out[start + pair.low];
      const int64_t high = out[start + pair.high];
      if (precedes(key_of(x[start + high], descending), high, key_of(x[start + low], descending),
                   low)) {
        out[start + pair.low] = high;
        out[start + pair.high] = low;
      }
    }
  }
}

}  // namespace kcache
