// SPDX-License-Identifier: Apache-2.0
//
// The rope family: rotary position embedding, which turns pairs of x's elements by angles.
//
//   rope_<pairs>_<type>  (Strided<3> walk, int64_t half, const T* x, const T* cos, const T* sin,
//                         T* out)
//
// with <pairs> one of interleaved, whose pairs are the elements 2 i and 2 i + 1 of a row, and
// halves, whose pairs are i and i + half. The walk is over the pairs. Its operands are the first
// elements of x's pairs, cos and sin; out lies as x does, and may be x.
//
//   out_first  = x_first cos - x_second sin
//   out_second = x_first sin + x_second cos
//
// The first product is rounded, and the second one is added to it in one operation (fma). The 16-bit
// floats are computed with as float, and the result is rounded to them.
#include <hip/hip_runtime.h>
#include <stdint.h>

#include "elementwise.h"
#include "exact.h"

namespace kcache {

__device__ void turn(Element& first, Element& second, Element cos, Element sin) {
  const auto a = widen(first);
  const auto b = widen(second);
  first = Element(math::fused(-b, widen(sin), math::product(a, widen(cos))));
  second = Element(math::fused(b, widen(cos), math::product(a, widen(sin))));
}

template <int size>
__device__ void store(const Pack<Element, size>& pack, Element* out) {
  if (starts_pack<Element, size>(out)) {
    *reinterpret_cast<Pack<Element, size>*>(out) = pack;
  } else {
    for (int k = 0; k < size; ++k) out[k] = pack.elements[k];
  }
}

template <int size>
__device__ void turn_interleaved(const Element* x, const Pack<Element, size>& cos,
                                 const Pack<Element, size>& sin, Element* out) {
  Pack<Element, 2 * size> pairs = load<2 * size>(x, 1);
  for (int k = 0; k < size; ++k) {
    turn(pairs.elements[2 * k], pairs.elements[2 * k + 1], cos.elements[k], sin.elements[k]);
  }
  store(pairs, out);
}

template <int size>
__device__ void turn_halves(const Element* x, const Pack<Element, size>& cos,
                            const Pack<Element, size>& sin, int64_t half, Element* out) {
  Pack<Element, size> first = load<size>(x, 1);
  Pack<Element, size> second = load<size>(x + half, 1);
  for (int k = 0; k < size; ++k) {
    turn(first.elements[k], second.elements[k], cos.elements[k], sin.elements[k]);
  }
  store(first, out);
  store(second, out + half);
}

template <bool interleaved>
__device__ void turn_all(const Strided<3>& walk, int64_t half, const Element* x, const Element* cos,
                         const Element* sin, Element* out) {
  constexpr int size = sizeof(Element) < 8 ? 4 : 2;
  const int64_t last = walk.rank - 1;
  if (walk.rank > 0 && walk.extents[last] % size == 0 &&
      walk.strides[0][last] == (interleaved ? 2 : 1)) {
    for (int64_t i = grid_thread(); i < walk.count / size; i += grid_threads()) {
      const auto at = locate(walk, i * size);
      const auto cosines = load<size>(cos + at.of[1], walk.strides[1][last]);
      const auto sines = load<size>(sin + at.of[2], walk.strides[2][last]);
      if constexpr (interleaved) {
        turn_interleaved(x + at.of[0], cosines, sines, out + at.of[0]);
      } else {
        turn_halves(x + at.of[0], cosines, sines, half, out + at.of[0]);
      }
    }
  } else {
    for (int64_t i = grid_thread(); i < walk.count; i += grid_threads()) {
      const auto at = locate(walk, i);
      const int64_t second = at.of[0] + (interleaved ? 1 : half);
      Element a = x[at.of[0]];
      Element b = x[second];
      turn(a, b, cos[at.of[1]], sin[at.of[2]]);
      out[at.of[0]] = a;
      out[second] = b;
    }
  }
}

extern "C" __global__ void KCACHE_NAME(rope_interleaved)(Strided<3> walk, int64_t half,
                                                         const Element* x, const Element* cos,
                                                         const Element* sin, Element* out) {
  turn_all<true>(walk, half, x, cos, sin, out);
}

extern "C" __global__ void KCACHE_NAME(rope_halves)(Strided<3> walk, int64_t half, const Element* x,
                                                    const Element* cos, const Element* sin,
                                                    Element* out) {
  turn_all<false>(walk, half, x, cos, sin, out);
}

}  // namespace kcache
