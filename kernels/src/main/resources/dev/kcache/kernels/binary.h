// SPDX-License-Identifier: Apache-2.0
//
// The binary family: out[i] = left[i] op right[i], for operands of one type.
//
//   binary_<op>_<type>          (int64_t count, const T* left, const T* right, T* out)
//   binary_<op>_<type>_strided  (StridedPair operands, const T* left, const T* right, T* out)
//
// with <op> one of add, sub, mul, div, minimum, maximum, and <type> a name of scalars.h.
//
// Any one-dimensional launch is right, whatever the number of blocks and of threads in a block: each
// thread steps through the elements by the size of the whole grid. A count of 0 is allowed. out is
// contiguous. It may be an operand itself, if that is contiguous too; it may not overlap one
// otherwise.
//
// Meaning, the same on every target:
//   floats    add, sub, mul and div are IEEE 754's, rounded to nearest, subnormals kept.
//             minimum and maximum are those of IEEE 754-2019: NaN if either operand is, and -0 is
//             less than +0. A NaN that results is quiet; its sign and payload are not specified.
//   integers  add, sub and mul wrap. div truncates toward zero; x / 0 is 0, and lowest / -1 wraps
//             to lowest.
#pragma once

#include <cmath>
#include <type_traits>

#include "scalars.h"

namespace kcache {

// Whether a comes before b, where -0 comes before +0. Neither may be a NaN.
template <class T>
__device__ bool precedes(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b;
  } else {
    return widen(a) < widen(b) || (widen(a) == widen(b) && std::signbit(widen(a)));
  }
}

template <class T>
__device__ bool either_is_nan(T a, T b) {
  return widen(a) != widen(a) || widen(b) != widen(b);
}

template <class T>
__device__ T integer_quotient(T dividend, T divisor) {
  if (divisor == 0) return 0;
  // lowest / -1 overflows, which is undefined; its negation as an unsigned number wraps.
  if (std::is_signed_v<T> && divisor == static_cast<T>(-1)) return T(0 - widen(dividend));
  return dividend / divisor;
}

struct Add {
  template <class T>
  static __device__ T apply(T a, T b) {
    return T(widen(a) + widen(b));
  }
};

struct Sub {
  template <class T>
  static __device__ T apply(T a, T b) {
    return T(widen(a) - widen(b));
  }
};

struct Mul {
  template <class T>
  static __device__ T apply(T a, T b) {
    return T(widen(a) * widen(b));
  }
};

struct Div {
  template <class T>
  static __device__ T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return integer_quotient(a, b);
    } else {
      return T(widen(a) / widen(b));
    }
  }
};

struct Minimum {
  template <class T>
  static __device__ T apply(T a, T b) {
    if (either_is_nan(a, b)) return Add::apply(a, b);
    return precedes(a, b) ? a : b;
  }
};

struct Maximum {
  template <class T>
  static __device__ T apply(T a, T b) {
    if (either_is_nan(a, b)) return Add::apply(a, b);
    return precedes(a, b) ? b : a;
  }
};

// This thread's place in the grid, and the number of threads in it.
inline __device__ int64_t grid_thread() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
inline __device__ int64_t grid_threads() { return int64_t{gridDim.x} * blockDim.x; }

// As many elements as one memory access moves at most.
template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T elements[size];
};

inline __device__ bool starts_pack(const void* address) {
  return reinterpret_cast<uintptr_t>(address) % 16 == 0;
}

template <class Operator, class T>
__device__ void binary(int64_t count, const T* left, const T* right, T* out) {
  const bool packed = starts_pack(left) && starts_pack(right) && starts_pack(out);
  const int64_t packs = packed ? count / Pack<T>::size : 0;
  for (int64_t i = grid_thread(); i < packs; i += grid_threads()) {
    const Pack<T> a = reinterpret_cast<const Pack<T>*>(left)[i];
    const Pack<T> b = reinterpret_cast<const Pack<T>*>(right)[i];
    Pack<T> result;
    for (int k = 0; k < Pack<T>::size; ++k) {
      result.elements[k] = Operator::apply(a.elements[k], b.elements[k]);
    }
    reinterpret_cast<Pack<T>*>(out)[i] = result;
  }
  // What is left after the last whole pack; everything, where an address starts none.
  for (int64_t i = packs * Pack<T>::size + grid_thread(); i < count; i += grid_threads()) {
    out[i] = Operator::apply(left[i], right[i]);
  }
}

constexpr int max_rank = 8;

// How the elements of two operands pair up: passed by value, 208 bytes, no padding that matters.
// Dimensions are ordered from the outermost to the innermost, which varies fastest in the result.
// Strides are in elements, from the addresses that the kernel is given; 0 repeats an operand along
// a dimension (broadcasting) and a negative one walks it backwards.
struct StridedPair {
  int64_t count;  // of elements in the result: the product of the extents, 1 if rank is 0
  int64_t rank;   // 0 to max_rank; what the arrays hold beyond it is not read
  int64_t extents[max_rank];
  int64_t left_strides[max_rank];
  int64_t right_strides[max_rank];
};

struct PairOffset {
  int64_t left;
  int64_t right;
};

// Finds the operands' elements for one of the result. Number is what the division is done in: a GPU
// has no instruction for it, and that of 64 bits takes several times as long as that of 32.
template <class Number>
__device__ PairOffset locate(const StridedPair& operands, int64_t index) {
  PairOffset offset = {0, 0};
  Number rest = static_cast<Number>(index);
  for (int64_t d = operands.rank - 1; d >= 0; --d) {
    const Number extent = static_cast<Number>(operands.extents[d]);
    const int64_t coordinate = rest % extent;
    rest /= extent;
    offset.left += coordinate * operands.left_strides[d];
    offset.right += coordinate * operands.right_strides[d];
  }
  return offset;
}

template <class Operator, class T>
__device__ void binary_strided(const StridedPair& operands, const T* left, const T* right, T* out) {
  const bool narrow = operands.count <= UINT32_MAX;
  for (int64_t i = grid_thread(); i < operands.count; i += grid_threads()) {
    const PairOffset at = narrow ? locate<uint32_t>(operands, i) : locate<uint64_t>(operands, i);
    out[i] = Operator::apply(left[at.left], right[at.right]);
  }
}

}  // namespace kcache

#define KCACHE_BINARY_KERNEL(op, Operator, type)                                           \
  extern "C" __global__ void binary_##op##_##type(int64_t count, const kcache::type* left, \
                                                  const kcache::type* right,               \
                                                  kcache::type* out) {                     \
    kcache::binary<kcache::Operator>(count, left, right, out);                             \
  }                                                                                        \
  extern "C" __global__ void binary_##op##_##type##_strided(                               \
      kcache::StridedPair operands, const kcache::type* left, const kcache::type* right,   \
      kcache::type* out) {                                                                 \
    kcache::binary_strided<kcache::Operator>(operands, left, right, out);                  \
  }

// The twelve kernels of one type.
#define KCACHE_BINARY_KERNELS(type)            \
  KCACHE_BINARY_KERNEL(add, Add, type)         \
  KCACHE_BINARY_KERNEL(sub, Sub, type)         \
  KCACHE_BINARY_KERNEL(mul, Mul, type)         \
  KCACHE_BINARY_KERNEL(div, Div, type)         \
  KCACHE_BINARY_KERNEL(minimum, Minimum, type) \
  KCACHE_BINARY_KERNEL(maximum, Maximum, type)
