// SPDX-License-Identifier: Apache-2.0
//
// The loop of an elementwise kernel, and the functions that it applies.
#pragma once

#ifndef __HIPCC_RTC__  // hiprtc has it built in, and that of HIP 5.2 fails if it comes twice
#include <hip/hip_fp16.h>
#endif
#include <hip/hip_runtime.h>

namespace elementwise {

template <class T>
struct Wide {
  using type = T;
};
template <>
struct Wide<__half> {
  using type = float;
};

template <class T>
__device__ typename Wide<T>::type widen(T value) {
  return static_cast<typename Wide<T>::type>(value);
}

struct Add {
  template <class T>
  static __device__ T apply(T a, T b) {
    return a + b;
  }
};
struct Sub {
  template <class T>
  static __device__ T apply(T a, T b) {
    return a - b;
  }
};
struct Mul {
  template <class T>
  static __device__ T apply(T a, T b) {
    return a * b;
  }
};
struct Div {
  template <class T>
  static __device__ T apply(T a, T b) {
    return b == T(0) ? T(0) : a / b;
  }
};
struct Minimum {
  template <class T>
  static __device__ T apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct Maximum {
  template <class T>
  static __device__ T apply(T a, T b) {
    return a < b ? b : a;
  }
};

struct Exp {
  static __device__ float apply(float x) { return expf(x); }
};
struct Log {
  static __device__ float apply(float x) { return logf(x); }
};
struct Sqrt {
  static __device__ float apply(float x) { return sqrtf(x); }
};
struct Tanh {
  static __device__ float apply(float x) { return tanhf(x); }
};
struct Sigmoid {
  static __device__ float apply(float x) { return 1.0f / (1.0f + expf(-x)); }
};
struct Erf {
  static __device__ float apply(float x) { return erff(x); }
};

template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T elements[size];
};

inline __device__ long long thread_of_grid() {
  return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}
inline __device__ long long threads_of_grid() { return (long long)gridDim.x * blockDim.x; }

template <class Operator, class T>
__device__ void binary(long long count, const T* left, const T* right, T* out) {
  const long long packs = count / Pack<T>::size;
  for (long long i = thread_of_grid(); i < packs; i += threads_of_grid()) {
    const Pack<T> a = reinterpret_cast<const Pack<T>*>(left)[i];
    const Pack<T> b = reinterpret_cast<const Pack<T>*>(right)[i];
    Pack<T> result;
    for (int k = 0; k < Pack<T>::size; ++k) {
      result.elements[k] = T(Operator::apply(widen(a.elements[k]), widen(b.elements[k])));
    }
    reinterpret_cast<Pack<T>*>(out)[i] = result;
  }
  for (long long i = packs * Pack<T>::size + thread_of_grid(); i < count; i += threads_of_grid()) {
    out[i] = T(Operator::apply(widen(left[i]), widen(right[i])));
  }
}

struct Strides {
  long long extents[6];
  long long left[6];
  long long right[6];
  int rank;
};

template <class Operator, class T>
__device__ void binary_strided(long long count, Strides at, const T* left, const T* right, T* out) {
  for (long long i = thread_of_grid(); i < count; i += threads_of_grid()) {
    unsigned long long rest = i;
    long long l = 0;
    long long r = 0;
    for (int d = at.rank - 1; d >= 0; --d) {
      const long long coordinate = rest % at.extents[d];
      rest /= at.extents[d];
      l += coordinate * at.left[d];
      r += coordinate * at.right[d];
    }
    out[i] = T(Operator::apply(widen(left[l]), widen(right[r])));
  }
}

template <class Operator, class T>
__device__ void unary(long long count, const T* in, T* out) {
  for (long long i = thread_of_grid(); i < count; i += threads_of_grid()) {
    out[i] = T(Operator::apply(static_cast<float>(in[i])));
  }
}

}  // namespace elementwise

#define BINARY_KERNEL(name, Operator, suffix, T)                                             \
  extern "C" __global__ void name##_##suffix(long long count, const T* left, const T* right, \
                                             T* out) {                                       \
    elementwise::binary<elementwise::Operator>(count, left, right, out);                     \
  }                                                                                          \
  extern "C" __global__ void name##_##suffix##_strided(                                      \
      long long count, elementwise::Strides at, const T* left, const T* right, T* out) {     \
    elementwise::binary_strided<elementwise::Operator>(count, at, left, right, out);         \
  }

#define BINARY_KERNELS(suffix, T)           \
  BINARY_KERNEL(add, Add, suffix, T)         \
  BINARY_KERNEL(sub, Sub, suffix, T)         \
  BINARY_KERNEL(mul, Mul, suffix, T)         \
  BINARY_KERNEL(div, Div, suffix, T)         \
  BINARY_KERNEL(minimum, Minimum, suffix, T) \
  BINARY_KERNEL(maximum, Maximum, suffix, T)

#define UNARY_KERNEL(name, Function, suffix, T)                                             \
  extern "C" __global__ void name##_##suffix(long long count, const T* in, T* out) {        \
    elementwise::unary<elementwise::Function>(count, in, out);                              \
  }

#define UNARY_KERNELS(suffix, T)           \
  UNARY_KERNEL(exp, Exp, suffix, T)         \
  UNARY_KERNEL(log, Log, suffix, T)         \
  UNARY_KERNEL(sqrt, Sqrt, suffix, T)       \
  UNARY_KERNEL(tanh, Tanh, suffix, T)       \
  UNARY_KERNEL(sigmoid, Sigmoid, suffix, T) \
  UNARY_KERNEL(erf, Erf, suffix, T)
