// SPDX-License-Identifier: Apache-2.0
//
// Rows of floats, each of which some lanes of a block read, and write changed.
//
// A row of whole packs, at most 8 for a lane, is read once and held in registers. Another is read
// again for each step.
#pragma once

#include <hip/hip_runtime.h>
#include <stdint.h>

#include "block.h"
#include "exact.h"

namespace kcache {

constexpr int row_pack = 4;
constexpr int held_packs = 8;

// Sums and whatever else is computed on the way are of this type.
using Wide = decltype(widen(Element()));

// As many threads in a block that each can hold its elements, on every processor.
constexpr int most_threads = 4096 / sizeof(Wide);

struct RowShape {
  int64_t count;   // of elements in a row
  int64_t stride;  // of neighbours in it
  int64_t lanes;   // of a row: a power of two
  int64_t first;   // row of the first block
  int64_t held;    // whether lanes can hold it: its elements and the distances of rows are packs
};

struct Quad {
  Wide values[row_pack];
};

struct Row {
  const Element* x;
  int64_t count;
  int64_t stride;
  bool packed;  // whether every four elements are a pack in memory

  __device__ Row(const Element* x, int64_t count, int64_t stride)
      : x(x),
        count(count),
        stride(stride),
        packed(stride == 1 && count % row_pack == 0 && starts_pack<Element, row_pack>(x)) {}

  __device__ Quad read_pack(int64_t i) const {
    const auto pack = *reinterpret_cast<const Pack<Element, row_pack>*>(x + i);
    Quad quad;
    for (int k = 0; k < row_pack; ++k) quad.values[k] = widen(pack.elements[k]);
    return quad;
  }

  // What is beyond the end is filled.
  __device__ Quad read(int64_t i, Wide fill) const {
    if (packed) return read_pack(i);
    Quad quad;
    for (int k = 0; k < row_pack; ++k) {
      quad.values[k] = i + k < count ? widen(x[(i + k) * stride]) : fill;
    }
    return quad;
  }
};

inline __device__ void write(Element* out, int64_t count, bool packed, int64_t i,
                             const Quad& quad) {
  Pack<Element, row_pack> pack;
  for (int k = 0; k < row_pack; ++k) pack.elements[k] = Element(quad.values[k]);
  if (packed) {
    *reinterpret_cast<Pack<Element, row_pack>*>(out + i) = pack;
  } else {
    for (int k = 0; k < row_pack; ++k) {
      if (i + k < count) out[i + k] = pack.elements[k];
    }
  }
}

struct Add {
  __device__ Wide operator()(Wide a, Wide b) const { return a + b; }
};

// Four values that are joined for themselves, as the elements of packs are.
template <class Join>
__device__ Wide join_row(const Lanes& lanes, const Quad& quad, Wide* shared, const Join& join) {
  const Wide value =
      join(join(quad.values[0], quad.values[1]), join(quad.values[2], quad.values[3]));
  return join_lanes(lanes, value, shared, join);
}

// This lane's elements of a row, in packs that are as many apart as there are lanes.
class HeldRow {
 public:
  static constexpr bool held = true;

  __device__ HeldRow(const Row& row, const Lanes& lanes, Wide fill)
      : first(row_pack * lanes.lane),
        step(row_pack * lanes.count),
        count(static_cast<int>(row.count)) {
    int i = first;
    for (int p = 0; p < held_packs; ++p, i += step) {
      quads[p] = {{fill, fill, fill, fill}};
      if (i < count) quads[p] = row.read_pack(i);
    }
  }

  // Calls function(i, quad) for each pack, of which a change stays.
  template <class Function>
  __device__ void for_each(const Function& function) {
    int i = first;
    for (int p = 0; p < held_packs; ++p, i += step) {
      if (i < count) function(i, quads[p]);
    }
  }

  // The same in a rolled loop, for what takes many instructions or registers: the packs take turns.
  template <class Function>
  __device__ void for_each_in_turn(const Function& function) {
    int i = first;
#pragma unroll 1
    for (int p = 0; p < held_packs; p += 2) {
      Quad pair[2] = {quads[0], quads[1]};
      for (int k = 0; k < 2; ++k, i += step) {
        if (i < count) function(i, pair[k]);
      }
      for (int k = 2; k < held_packs; ++k) quads[k - 2] = quads[k];
      quads[held_packs - 2] = pair[0];
      quads[held_packs - 1] = pair[1];
    }
  }

 private:
  int first;
  int step;
  int count;
  Quad quads[held_packs];
};

// The same, but for changes: reads the elements for each call.
class ReadRow {
 public:
  static constexpr bool held = false;

  __device__ ReadRow(const Row& row, const Lanes& lanes, Wide fill)
      : row(row),
        first(int64_t{row_pack} * lanes.lane),
        step(int64_t{row_pack} * lanes.count),
        fill(fill) {}

  template <class Function>
  __device__ void for_each(const Function& function) const {
#pragma unroll 1
    for (int64_t i = first; i < row.count; i += step) {
      Quad quad = row.read(i, fill);
      function(i, quad);
    }
  }

  template <class Function>
  __device__ void for_each_in_turn(const Function& function) const {
    for_each(function);
  }

 private:
  Row row;
  int64_t first;
  int64_t step;
  Wide fill;
};

// Calls operation.compute<RowType>(row, lanes, out, shared) for a row, in the faster way where the
// shape and all addresses allow it. All threads of a block do so at once; those that have no row left
// have an empty one. A loop over rows would hold the functions' constants in scalar registers, of
// which there are not as many.
template <class Operation, class... Address>
__device__ void compute_row(const Operation& operation, const Strided<1>& rows,
                            const RowShape& shape, const Element* x, Element* out, Wide* shared,
                            Address... others) {
  const Lanes lanes(shape.lanes, false);
  const int64_t line = shape.first + int64_t{blockIdx.x} * lanes.lines + lanes.line;
  const bool there = line < rows.count;
  const bool aligned = starts_pack<Element, row_pack>(x) && starts_pack<Element, row_pack>(out) &&
                       (starts_pack<Element, row_pack>(others) && ...);
  const Row row(there ? x + locate(rows, line).of[0] : x, there ? shape.count : 0, shape.stride);
  if (there) out += line * shape.count;
  if (shape.held != 0 && aligned) {
    operation.template compute<HeldRow>(row, lanes, out, shared);
  } else {
    operation.template compute<ReadRow>(row, lanes, out, shared);
  }
}

}  // namespace kcache
