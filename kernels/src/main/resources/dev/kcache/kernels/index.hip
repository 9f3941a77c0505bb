// SPDX-License-Identifier: Apache-2.0
//
// The index family: elements at places that other elements name.
//
//   index_take_<type>  (Strided<2> walk, int64_t stride, int64_t extent, int32_t index_type,
//                       int32_t operation, const T* x, const void* indices, T* out, OutOfRange* error)
//   index_add_<type>   (Strided<3> lines, Axis axis, int32_t index_type, int32_t operation,
//                       const void* indices, const T* source, T* out, OutOfRange* error)
//
// index_take: out[i] = x[place of i + index * stride]. The walk has the shape of out, which is
// contiguous. Its operands are x, with a stride of 0 along the indexed axis, and the indices. Where
// an operation has one index for many elements, the indices have strides of 0. The bits are copied.
//
// index_add: out[place + index * stride] += source[...], along an axis of source, in its order. The
// walk has the other axes, of the indices, of source and of out. An element of out belongs to one
// thread, which adds in the element's type: the 16-bit floats are rounded after each addition, and
// integers wrap. So the result does not change from run to run.
//
// An index below 0 or not below the extent reaches no element: index_take gives 0, and index_add
// skips it. One of them is told in *error, unless that tells of another one already.
//
// out may not overlap an operand. Any one-dimensional launch is right.
#include <hip/hip_runtime.h>
#include <stdint.h>

#include "elementwise.h"

namespace kcache {

// An index out of range. All zero where there was none. Java's IndexErrors reads it.
struct OutOfRange {
  int32_t found;
  int32_t operation;  // as the launch names it
  int64_t index;
  int64_t extent;
};

// The types that indices can have, in the order of Java's DType.
enum IndexType : int32_t { index_u8, index_u32, index_i32, index_i64 };

// The axis that index_add goes along.
struct Axis {
  int64_t count;  // of indices
  int64_t index_stride;
  int64_t source_stride;
  int64_t out_stride;
  int64_t extent;  // of out
  int64_t parts;   // of out along the axis; each has a thread of its own
};

__device__ int64_t read_index(const void* indices, int32_t type, int64_t at) {
  switch (type) {
    case index_u8:
      return static_cast<const u8*>(indices)[at];
    case index_u32:
      return static_cast<const u32*>(indices)[at];
    case index_i32:
      return static_cast<const i32*>(indices)[at];
    default:
      return static_cast<const i64*>(indices)[at];
  }
}

__device__ bool is_in_range(int64_t index, int64_t extent) { return index >= 0 && index < extent; }

__device__ void report(OutOfRange* error, int32_t operation, int64_t index, int64_t extent) {
  if (atomicCAS(&error->found, 0, 1) == 0) {
    error->operation = operation;
    error->index = index;
    error->extent = extent;
  }
}

extern "C" __global__ void KCACHE_NAME(index_take)(Strided<2> walk, int64_t stride, int64_t extent,
                                                   int32_t index_type, int32_t operation,
                                                   const Element* x, const void* indices,
                                                   Element* out, OutOfRange* error) {
  constexpr int size = 16 / sizeof(Element);
  const int64_t last = walk.rank - 1;
  if (walk.rank > 0 && walk.strides[0][last] == 1 && walk.strides[1][last] == 0 &&
      walk.extents[last] % size == 0 && starts_pack<Element, size>(out)) {
    // Rows of x: each pack lies within one, and has one index.
    for (int64_t i = grid_thread(); i < walk.count / size; i += grid_threads()) {
      const auto at = locate(walk, i * size);
      const int64_t index = read_index(indices, index_type, at.of[1]);
      Pack<Element, size> pack = {};
      if (is_in_range(index, extent)) {
        pack = load<size>(x + at.of[0] + index * stride, 1);
      } else {
        report(error, operation, index, extent);
      }
      reinterpret_cast<Pack<Element, size>*>(out)[i] = pack;
    }
  } else {
    for (int64_t i = grid_thread(); i < walk.count; i += grid_threads()) {
      const auto at = locate(walk, i);
      const int64_t index = read_index(indices, index_type, at.of[1]);
      if (is_in_range(index, extent)) {
        out[i] = x[at.of[0] + index * stride];
      } else {
        out[i] = Element(0);
        report(error, operation, index, extent);
      }
    }
  }
}

extern "C" __global__ void KCACHE_NAME(index_add)(Strided<3> lines, Axis axis, int32_t index_type,
                                                  int32_t operation, const void* indices,
                                                  const Element* source, Element* out,
                                                  OutOfRange* error) {
  const int64_t share = (axis.extent + axis.parts - 1) / axis.parts;
  for (int64_t i = grid_thread(); i < lines.count * axis.parts; i += grid_threads()) {
    const int64_t part = i / lines.count;
    const int64_t begin = part * share;
    const auto at = locate(lines, i - part * lines.count);
    for (int64_t j = 0; j < axis.count; ++j) {
      const int64_t index = read_index(indices, index_type, at.of[0] + j * axis.index_stride);
      if (!is_in_range(index, axis.extent)) {
        report(error, operation, index, axis.extent);
      } else if (index >= begin && index - begin < share) {
        Element* sum = out + at.of[2] + index * axis.out_stride;
        *sum = Element(widen(*sum) + widen(source[at.of[1] + j * axis.source_stride]));
      }
    }
  }
}

}  // namespace kcache
