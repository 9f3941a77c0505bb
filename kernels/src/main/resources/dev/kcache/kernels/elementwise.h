// SPDX-License-Identifier: Apache-2.0
//
// out[i] = f(in[i]...): the walks that the elementwise families share.
//
// Any one-dimensional launch is right, whatever the number of blocks and of threads in a block: each
// thread steps through the elements by the size of the whole grid. A count of 0 is allowed. out is
// contiguous. It may be an operand itself, if that is contiguous too and has elements of the same
// size; it may not overlap one otherwise.
#pragma once

#include <hip/hip_runtime.h>
#include <stdint.h>
#include <string.h>

#include <utility>

#include "strided.h"
#include "unit.h"

namespace kcache {

// Some neighbours, which are moved at once: 16 bytes are as many as one memory access moves.
template <class T, int size>
struct alignas(sizeof(T) * size < 16 ? sizeof(T) * size : 16) Pack {
  T elements[size];
};

template <class T, int size>
__device__ bool starts_pack(const T* address) {
  return reinterpret_cast<uintptr_t>(address) % alignof(Pack<T, size>) == 0;
}

constexpr int smaller(int a, int b) { return a < b ? a : b; }
constexpr int larger(int a, int b) { return a > b ? a : b; }

// How many elements a thread computes at once: 16 bytes of the largest type. With more, neighbouring
// threads would no longer access neighbouring memory at once.
template <class... T>
constexpr int pack_size() {
  int most = 1;
  ((most = larger(most, sizeof(T))), ...);
  return 16 / most;
}

// Reads a pack at once, by words: of smaller elements nvcc would read each by itself.
template <class T, int size>
__device__ Pack<T, size> read(const Pack<T, size>* from) {
  constexpr size_t bytes = sizeof(Pack<T, size>);
  if constexpr (sizeof(T) >= 4 || bytes % 4 != 0) {
    return *from;
  } else {
    using Words = Pack<uint32_t, bytes / 4>;
    const Words words = *reinterpret_cast<const Words*>(from);
    Pack<T, size> pack;
    memcpy(&pack, &words, bytes);
    return pack;
  }
}

template <class Function, class Out, int size, class... In>
__device__ Pack<Out, size> apply(const Function& function, const Pack<In, size>&... in) {
  Pack<Out, size> out;
  for (int k = 0; k < size; ++k) out.elements[k] = function(in.elements[k]...);
  return out;
}

template <class Function, class Out, class... In>
__device__ void map(const Function& function, int64_t count, Out* out, const In*... in) {
  constexpr int size = pack_size<Out, In...>();
  const bool packed = starts_pack<Out, size>(out) && (starts_pack<In, size>(in) && ...);
  const int64_t packs = packed ? count / size : 0;
  for (int64_t i = grid_thread(); i < packs; i += grid_threads()) {
    reinterpret_cast<Pack<Out, size>*>(out)[i] = apply<Function, Out, size, In...>(
        function, read(reinterpret_cast<const Pack<In, size>*>(in) + i)...);
  }
  // What is left after the last whole pack; everything, where an address starts none.
#ifdef __clang__  // Else it adds a loop for two elements at once, to be compiled for each kernel.
#pragma clang loop vectorize(disable)
#endif
  for (int64_t i = packs * size + grid_thread(); i < count; i += grid_threads()) {
    out[i] = function(in[i]...);
  }
}

// Reads neighbours of a row.
template <int size, class T>
__device__ Pack<T, size> load(const T* first, int64_t stride) {
  if (stride == 1 && starts_pack<T, size>(first)) {
    return read(reinterpret_cast<const Pack<T, size>*>(first));
  }
  Pack<T, size> pack;
  for (int k = 0; k < size; ++k) pack.elements[k] = first[k * stride];
  return pack;
}

template <class Function, class Out, class... In, size_t... K>
__device__ void map_rows(const Function& function, const Strided<sizeof...(In)>& walk, Out* out,
                         std::index_sequence<K...>, const In*... in) {
  // The distances of more neighbours than 4 would take more scalar registers than there are.
  constexpr int size = smaller(pack_size<Out, In...>(), 4);
  const int64_t row = walk.rank == 0 ? 1 : walk.extents[walk.rank - 1];
  // Whether each pack lies within a row. One loop does both cases: locate() takes long to compile.
  const bool packed = row % size == 0 && starts_pack<Out, size>(out);
  const int64_t step = packed ? size : 1;
  for (int64_t i = grid_thread() * step; i < walk.count; i += grid_threads() * step) {
    const auto at = locate(walk, i);
    if (packed) {
      *reinterpret_cast<Pack<Out, size>*>(out + i) = apply<Function, Out, size, In...>(
          function, load<size>(in + at.of[K], walk.strides[K][walk.rank - 1])...);
    } else {
      out[i] = function(in[at.of[K]]...);
    }
  }
}

template <class Function, class Out, class... In>
__device__ void map_strided(const Function& function, const Strided<sizeof...(In)>& walk, Out* out,
                            const In*... in) {
  map_rows(function, walk, out, std::make_index_sequence<sizeof...(In)>(), in...);
}

}  // namespace kcache
