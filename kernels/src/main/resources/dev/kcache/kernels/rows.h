// SPDX-License-Identifier: Apache-2.0
//
// Rows of floats: the lanes of a block share a row.
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

// The largest block whose threads can each hold their packs in registers, on every processor.
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

// A row as one lane sees it. The lane has every lanes.count-th pack, and counts elements from the
// first of its own on: so the places of packs are the same for all lanes, and take no registers.
struct Row {
  const Element* x;
  int64_t count;  // of elements in the row
  int64_t left;   // from the lane's first one on; negative, if the row ends before that
  int64_t stride;
  int64_t first;  // the lane's first element in the row
  int64_t step;   // from a pack of the lane to its next
  bool packed;    // whether every four elements are a pack in memory

  __device__ Row(const Element* start, int64_t count, int64_t stride, const Lanes& lanes)
      : count(count),
        stride(stride),
        first(int64_t{row_pack} * lanes.lane),
        step(int64_t{row_pack} * lanes.count),
        packed(stride == 1 && count % row_pack == 0 && starts_pack<Element, row_pack>(start)) {
    x = start + first * stride;
    left = count - first;
  }

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
      quad.values[k] = i + k < left ? widen(x[(i + k) * stride]) : fill;
    }
    return quad;
  }
};

inline __device__ void write(Element* out, int64_t left, bool packed, int64_t i, const Quad& quad) {
  Pack<Element, row_pack> pack;
  for (int k = 0; k < row_pack; ++k) pack.elements[k] = Element(quad.values[k]);
  if (packed) {
    *reinterpret_cast<Pack<Element, row_pack>*>(out + i) = pack;
  } else {
    for (int k = 0; k < row_pack; ++k) {
      if (i + k < left) out[i + k] = pack.elements[k];
    }
  }
}

struct Add {
  __device__ Wide operator()(Wide a, Wide b) const { return a + b; }
};

template <class Join>
__device__ Wide join(const Quad& quad, const Join& join) {
  return join(join(quad.values[0], quad.values[1]), join(quad.values[2], quad.values[3]));
}

// A lane's packs, in registers.
class HeldRow {
 public:
  static constexpr bool held = true;

  __device__ HeldRow(const Row& row, Wide)
      : left(static_cast<int>(row.left)), step(static_cast<int>(row.step)) {
    // By sums and not by products as below: for these nvcc waits before it asks for the last packs.
    int i = 0;
    for (int p = 0; p < held_packs; ++p, i += step) {
      if (i < left) quads[p] = row.read_pack(i);
    }
  }

  // Calls function(i, quad) for each pack, of which a change stays.
  template <class Function>
  __device__ void for_each(const Function& function) {
    for (int p = 0; p < held_packs; ++p) {
      if (p * step < left) function(p * step, quads[p]);
    }
  }

 private:
  int left;
  int step;
  Quad quads[held_packs];
};

// Reads the elements again for each call; changes are lost.
class ReadRow {
 public:
  static constexpr bool held = false;

  __device__ ReadRow(const Row& row, Wide fill) : row(row), fill(fill) {}

  template <class Function>
  __device__ void for_each(const Function& function) const {
#pragma unroll 1
    for (int64_t i = 0; i < row.left; i += row.step) {
      Quad quad = row.read(i, fill);
      function(i, quad);
    }
  }

 private:
  Row row;
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
  const Element* start = there ? x + locate(rows, line).of[0] : x;
  const int64_t count = there ? shape.count : 0;
  if (there) out += line * shape.count;
  if (shape.held != 0 && aligned) {
    operation.template compute<HeldRow>(Row(start, count, 1, lanes), lanes, out, shared);
  } else {
    operation.template compute<ReadRow>(Row(start, count, shape.stride, lanes), lanes, out, shared);
  }
}

}  // namespace kcache
