// SPDX-License-Identifier: Apache-2.0
//
// Lines of elements, each of which some threads of a block share: the lanes of the line.
#pragma once

#include <hip/hip_runtime.h>
#include <stdint.h>

#include <type_traits>

#include "elementwise.h"

namespace kcache {

// This thread's place in a block whose lines have a power of two of lanes each. Neighbouring threads
// are neighbouring lanes or, across, neighbouring lines.
struct Lanes {
  int count;  // of each line
  int lines;  // of the block
  int lane;
  int line;
  int distance;  // of neighbouring lanes, in threads

  __device__ Lanes(int64_t lanes, bool across) {
    const int thread = threadIdx.x;
    count = static_cast<int>(lanes);
    const int shift = 31 - __clz(count);
    lines = static_cast<int>(blockDim.x) >> shift;
    lane = across ? thread / lines : thread & (count - 1);
    line = across ? thread % lines : thread >> shift;
    distance = across ? lines : 1;
  }
};

// Joins the values of a line's lanes pairwise: neighbours, then neighbouring pairs, and so on. Every
// lane gets the same result, since join is commutative. All threads of the block
// have to call it, with room for two values of each. Two rounds of pairs share a step, since a step
// waits for all threads.
template <class Value, class Join>
__device__ Value join_lanes(const Lanes& lanes, Value value, Value* shared, const Join& join) {
  const int thread = threadIdx.x;
  Value* room = shared;
  __syncthreads();
  for (int half = 1; half < lanes.count; half *= 4) {
    room[thread] = value;
    __syncthreads();
    const auto of = [&](int lane) { return room[thread + (lane - lanes.lane) * lanes.distance]; };
    value = join(value, of(lanes.lane ^ half));
    if (2 * half < lanes.count) {
      const int pair = lanes.lane ^ 2 * half;
      value = join(value, join(of(pair), of(pair ^ half)));
    }
    // The next values go where no thread reads any more.
    room = room == shared ? shared + blockDim.x : shared;
  }
  return value;
}

// An element as what is added: of a float as it is computed with, of an integer modulo 2^64.
template <class T>
__device__ auto term(T element) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(static_cast<int64_t>(element));
  } else {
    return widen(element);
  }
}

}  // namespace kcache
