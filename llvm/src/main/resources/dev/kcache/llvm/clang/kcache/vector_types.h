// SPDX-License-Identifier: Apache-2.0
//
// HIP's vectors, char1 to double4, with the constructors and operators that HIP gives them, dim3, and
// the short names of integers.
// A kernel's arguments lie as the compiler of the host's code lays them out, so sizes and alignments
// are those of HIP for AMD and those of CUDA for NVIDIA.
#pragma once

#include <kcache/language.h>

using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned;
using ulong = unsigned long;
using ullong = unsigned long long;

#define __KCACHE_BOTH __host__ __device__ inline constexpr

template <bool condition>
struct __kcache_if {};
template <>
struct __kcache_if<true> {
  using type = void;
};
#define __KCACHE_IF(...) typename __kcache_if<(__VA_ARGS__)>::type* = nullptr
#define __KCACHE_NUMBER (true)
#define __KCACHE_WHOLE (__is_integral(T))

#ifdef __NVPTX__
#define __KCACHE_ALIGNMENT(bytes) ((bytes) > 16 ? 16 : (bytes))
#else
#define __KCACHE_ALIGNMENT(bytes) (bytes)
#endif

// The elements of a vector together. Three are an array: a vector of the compiler's own would be as
// large as one of four.
template <class T, unsigned n>
struct __kcache_elements {
  typedef T vector __attribute__((ext_vector_type(n)));
  typedef vector type __attribute__((aligned(__KCACHE_ALIGNMENT(n * sizeof(T)))));
};

#define __KCACHE_ASSIGNMENT(op, condition)                                            \
  template <class U = T, __KCACHE_IF(condition && sizeof(U))>                         \
  __KCACHE_BOTH __kcache_three& operator op##=(const __kcache_three& b) noexcept {    \
    for (unsigned i = 0; i < 3; ++i) d[i] = static_cast<T>(d[i] op b.d[i]);           \
    return *this;                                                                     \
  }

template <class T>
struct __kcache_three {
  typedef int __truths __attribute__((vector_size(4 * sizeof(int))));
  T d[3];

  __kcache_three() = default;
  __KCACHE_BOTH explicit __kcache_three(T all) noexcept : d{all, all, all} {}
  __KCACHE_BOTH __kcache_three(T x, T y, T z) noexcept : d{x, y, z} {}
  __KCACHE_BOTH T& operator[](unsigned i) noexcept { return d[i]; }
  __KCACHE_BOTH T operator[](unsigned i) const noexcept { return d[i]; }
  __KCACHE_BOTH __kcache_three operator-() const noexcept {
    return {static_cast<T>(-d[0]), static_cast<T>(-d[1]), static_cast<T>(-d[2])};
  }
  __KCACHE_BOTH __kcache_three operator~() const noexcept {
    return {static_cast<T>(~d[0]), static_cast<T>(~d[1]), static_cast<T>(~d[2])};
  }
  __KCACHE_BOTH __truths operator==(const __kcache_three& b) const noexcept {
    return __truths{d[0] == b.d[0], d[1] == b.d[1], d[2] == b.d[2]};
  }
  __KCACHE_ASSIGNMENT(+, __KCACHE_NUMBER)
  __KCACHE_ASSIGNMENT(-, __KCACHE_NUMBER)
  __KCACHE_ASSIGNMENT(*, __KCACHE_NUMBER)
  __KCACHE_ASSIGNMENT(/, __KCACHE_NUMBER)
  __KCACHE_ASSIGNMENT(%, __KCACHE_WHOLE)
  __KCACHE_ASSIGNMENT(&, __KCACHE_WHOLE)
  __KCACHE_ASSIGNMENT(|, __KCACHE_WHOLE)
  __KCACHE_ASSIGNMENT(^, __KCACHE_WHOLE)
  __KCACHE_ASSIGNMENT(<<, __KCACHE_WHOLE)
  __KCACHE_ASSIGNMENT(>>, __KCACHE_WHOLE)
};
#undef __KCACHE_ASSIGNMENT

template <class T>
struct __kcache_elements<T, 3> {
  using type = __kcache_three<T>;
};

template <class T, unsigned n>
struct HIP_vector_base;

#define __KCACHE_LIST(...) __VA_ARGS__
#define __KCACHE_BASE(n, members, all)                                            \
  template <class T>                                                              \
  struct HIP_vector_base<T, n> {                                                  \
    using Native_vec_ = typename __kcache_elements<T, n>::type;                   \
    using value_type = T;                                                         \
    union {                                                                       \
      Native_vec_ data;                                                           \
      struct {                                                                    \
        T members;                                                                \
      };                                                                          \
    };                                                                            \
    HIP_vector_base() = default;                                                  \
    __KCACHE_BOTH explicit HIP_vector_base(T x) noexcept : data{all} {}
#define __KCACHE_END }

__KCACHE_BASE(1, __KCACHE_LIST(x), __KCACHE_LIST(x))
__KCACHE_END;
__KCACHE_BASE(2, __KCACHE_LIST(x, y), __KCACHE_LIST(x, x))
  __KCACHE_BOTH HIP_vector_base(T x, T y) noexcept : data{x, y} {}
__KCACHE_END;
__KCACHE_BASE(3, __KCACHE_LIST(x, y, z), __KCACHE_LIST(x, x, x))
  __KCACHE_BOTH HIP_vector_base(T x, T y, T z) noexcept : data{x, y, z} {}
__KCACHE_END;
__KCACHE_BASE(4, __KCACHE_LIST(x, y, z, w), __KCACHE_LIST(x, x, x, x))
  __KCACHE_BOTH HIP_vector_base(T x, T y, T z, T w) noexcept : data{x, y, z, w} {}
__KCACHE_END;

#define __KCACHE_ASSIGN(op, condition)                                                \
  template <class U = T, __KCACHE_IF(condition && sizeof(U))>                         \
  __KCACHE_BOTH HIP_vector_type& operator op(const HIP_vector_type& b) noexcept {     \
    data op b.data;                                                                   \
    return *this;                                                                     \
  }
#define __KCACHE_ASSIGN_SCALAR(op)                                                    \
  template <class U, __KCACHE_IF(__is_convertible(U, T))>                             \
  __KCACHE_BOTH HIP_vector_type& operator op(U b) noexcept {                          \
    return *this op HIP_vector_type{b};                                               \
  }
#define __KCACHE_STEP(op, by)                                                         \
  __KCACHE_BOTH HIP_vector_type& operator op() noexcept {                             \
    return *this by HIP_vector_type{1};                                               \
  }                                                                                   \
  __KCACHE_BOTH HIP_vector_type operator op(int) noexcept {                           \
    HIP_vector_type before(*this);                                                    \
    op *this;                                                                         \
    return before;                                                                    \
  }

template <class T, unsigned n>
struct HIP_vector_type : HIP_vector_base<T, n> {
  using HIP_vector_base<T, n>::data;
  using typename HIP_vector_base<T, n>::Native_vec_;

  HIP_vector_type() = default;
  template <class U, __KCACHE_IF(__is_convertible(U, T))>
  __KCACHE_BOTH explicit HIP_vector_type(U all) noexcept : HIP_vector_base<T, n>(static_cast<T>(all)) {}
  template <class... Us, __KCACHE_IF(n > 1 && sizeof...(Us) == n)>
  __KCACHE_BOTH HIP_vector_type(Us... elements) noexcept
      : HIP_vector_base<T, n>(static_cast<T>(elements)...) {}

  __KCACHE_ASSIGN(+=, __KCACHE_NUMBER)
  __KCACHE_ASSIGN(-=, __KCACHE_NUMBER)
  __KCACHE_ASSIGN(*=, __KCACHE_NUMBER)
  __KCACHE_ASSIGN(/=, __KCACHE_NUMBER)
  __KCACHE_ASSIGN(%=, __KCACHE_WHOLE)
  __KCACHE_ASSIGN(&=, __KCACHE_WHOLE)
  __KCACHE_ASSIGN(|=, __KCACHE_WHOLE)
  __KCACHE_ASSIGN(^=, __KCACHE_WHOLE)
  __KCACHE_ASSIGN(<<=, __KCACHE_WHOLE)
  __KCACHE_ASSIGN(>>=, __KCACHE_WHOLE)
  __KCACHE_ASSIGN_SCALAR(+=)
  __KCACHE_ASSIGN_SCALAR(-=)
  __KCACHE_ASSIGN_SCALAR(*=)
  __KCACHE_ASSIGN_SCALAR(/=)
  __KCACHE_STEP(++, +=)
  __KCACHE_STEP(--, -=)

  template <class U = T, __KCACHE_IF(__is_signed(U))>
  __KCACHE_BOTH HIP_vector_type operator-() const noexcept {
    HIP_vector_type result(*this);
    result.data = -data;
    return result;
  }
  template <class U = T, __KCACHE_IF(__is_integral(U))>
  __KCACHE_BOTH HIP_vector_type operator~() const noexcept {
    HIP_vector_type result(*this);
    result.data = ~data;
    return result;
  }
};

// A scalar stands for a vector of it. As in HIP none is shifted to the left by a vector.
#define __KCACHE_OPERATOR(op, condition)                                                                  \
  template <class T, unsigned n, __KCACHE_IF(condition)>                                                  \
  __KCACHE_BOTH HIP_vector_type<T, n> operator op(const HIP_vector_type<T, n>& a,                         \
                                                  const HIP_vector_type<T, n>& b) noexcept {              \
    return HIP_vector_type<T, n>(a) op##= b;                                                              \
  }                                                                                                       \
  template <class T, unsigned n, class U, __KCACHE_IF(condition)>                                         \
  __KCACHE_BOTH HIP_vector_type<T, n> operator op(const HIP_vector_type<T, n>& a, U b) noexcept {         \
    return HIP_vector_type<T, n>(a) op##= HIP_vector_type<T, n>{b};                                       \
  }
#define __KCACHE_OF_SCALAR(op, condition)                                                                 \
  template <class T, unsigned n, class U, __KCACHE_IF(condition)>                                         \
  __KCACHE_BOTH HIP_vector_type<T, n> operator op(U a, const HIP_vector_type<T, n>& b) noexcept {         \
    return HIP_vector_type<T, n>{a} op##= b;                                                              \
  }

__KCACHE_OPERATOR(+, __KCACHE_NUMBER)
__KCACHE_OPERATOR(-, __KCACHE_NUMBER)
__KCACHE_OPERATOR(*, __KCACHE_NUMBER)
__KCACHE_OPERATOR(/, __KCACHE_NUMBER)
__KCACHE_OPERATOR(%, __KCACHE_WHOLE)
__KCACHE_OPERATOR(&, __KCACHE_WHOLE)
__KCACHE_OPERATOR(|, __KCACHE_WHOLE)
__KCACHE_OPERATOR(^, __KCACHE_WHOLE)
__KCACHE_OPERATOR(<<, __KCACHE_WHOLE)
__KCACHE_OPERATOR(>>, __KCACHE_WHOLE)
__KCACHE_OF_SCALAR(+, __KCACHE_NUMBER)
__KCACHE_OF_SCALAR(-, __KCACHE_NUMBER)
__KCACHE_OF_SCALAR(*, __KCACHE_NUMBER)
__KCACHE_OF_SCALAR(/, __KCACHE_NUMBER)
__KCACHE_OF_SCALAR(%, __KCACHE_WHOLE)
__KCACHE_OF_SCALAR(&, __KCACHE_WHOLE)
__KCACHE_OF_SCALAR(|, __KCACHE_WHOLE)
__KCACHE_OF_SCALAR(^, __KCACHE_WHOLE)
__KCACHE_OF_SCALAR(>>, __KCACHE_WHOLE)

template <class T, unsigned n>
__KCACHE_BOTH bool operator==(const HIP_vector_type<T, n>& a, const HIP_vector_type<T, n>& b) noexcept {
  for (unsigned i = 0; i < n; ++i) {
    if (a.data[i] != b.data[i]) return false;
  }
  return true;
}
template <class T, unsigned n, class U>
__KCACHE_BOTH bool operator==(const HIP_vector_type<T, n>& a, U b) noexcept {
  return a == HIP_vector_type<T, n>{b};
}
template <class T, unsigned n, class U>
__KCACHE_BOTH bool operator==(U a, const HIP_vector_type<T, n>& b) noexcept {
  return HIP_vector_type<T, n>{a} == b;
}
template <class T, unsigned n>
__KCACHE_BOTH bool operator!=(const HIP_vector_type<T, n>& a, const HIP_vector_type<T, n>& b) noexcept {
  return !(a == b);
}
template <class T, unsigned n, class U>
__KCACHE_BOTH bool operator!=(const HIP_vector_type<T, n>& a, U b) noexcept {
  return !(a == b);
}
template <class T, unsigned n, class U>
__KCACHE_BOTH bool operator!=(U a, const HIP_vector_type<T, n>& b) noexcept {
  return !(a == b);
}

#define __KCACHE_VECTORS(T, Parameter, name)                                                             \
  using name##1 = HIP_vector_type<T, 1>;                                                                 \
  using name##2 = HIP_vector_type<T, 2>;                                                                 \
  using name##3 = HIP_vector_type<T, 3>;                                                                 \
  using name##4 = HIP_vector_type<T, 4>;                                                                 \
  static __KCACHE_BOTH name##1 make_##name##1(Parameter x) { return name##1{x}; }                        \
  static __KCACHE_BOTH name##2 make_##name##2(Parameter x, Parameter y) { return {x, y}; }               \
  static __KCACHE_BOTH name##3 make_##name##3(Parameter x, Parameter y, Parameter z) {                   \
    return {x, y, z};                                                                                    \
  }                                                                                                      \
  static __KCACHE_BOTH name##4 make_##name##4(Parameter x, Parameter y, Parameter z, Parameter w) {      \
    return {x, y, z, w};                                                                                 \
  }

__KCACHE_VECTORS(char, signed char, char)
__KCACHE_VECTORS(unsigned char, unsigned char, uchar)
__KCACHE_VECTORS(short, short, short)
__KCACHE_VECTORS(unsigned short, unsigned short, ushort)
__KCACHE_VECTORS(int, int, int)
__KCACHE_VECTORS(unsigned, unsigned, uint)
__KCACHE_VECTORS(long, long, long)
__KCACHE_VECTORS(unsigned long, unsigned long, ulong)
__KCACHE_VECTORS(long long, long long, longlong)
__KCACHE_VECTORS(unsigned long long, unsigned long long, ulonglong)
__KCACHE_VECTORS(float, float, float)
__KCACHE_VECTORS(double, double, double)

struct dim3 {
  unsigned x, y, z;
  __KCACHE_BOTH dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

#undef __KCACHE_BOTH
#undef __KCACHE_IF
#undef __KCACHE_NUMBER
#undef __KCACHE_WHOLE
#undef __KCACHE_ALIGNMENT
#undef __KCACHE_LIST
#undef __KCACHE_BASE
#undef __KCACHE_END
#undef __KCACHE_ASSIGN
#undef __KCACHE_ASSIGN_SCALAR
#undef __KCACHE_STEP
#undef __KCACHE_OPERATOR
#undef __KCACHE_OF_SCALAR
#undef __KCACHE_VECTORS
