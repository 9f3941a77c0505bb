// SPDX-License-Identifier: Apache-2.0
//
// HIP's vectors: char1 to double4, with the operators that HIP gives them, and dim3. Those of two
// and four elements are aligned as a whole, so that one access moves them.
//
// The operators are templates: what a kernel does not use costs it next to nothing.
#pragma once

#include <kcache/language.h>

#define __KCACHE_CONSTEXPR __host__ __device__ constexpr

#define __KCACHE_VECTORS(T, name)                                                                 \
  struct name##1 {                                                                                \
    using __element = T;                                                                          \
    T x;                                                                                          \
    name##1() = default;                                                                          \
    __KCACHE_CONSTEXPR name##1(T x) : x(x) {}                                                     \
    template <class F>                                                                            \
    __KCACHE_CONSTEXPR name##1 __zip(const name##1& other, F f) const {                           \
      return static_cast<T>(f(x, other.x));                                                       \
    }                                                                                             \
  };                                                                                              \
  struct alignas(2 * sizeof(T)) name##2 {                                                         \
    using __element = T;                                                                          \
    T x, y;                                                                                       \
    name##2() = default;                                                                          \
    __KCACHE_CONSTEXPR name##2(T all) : x(all), y(all) {}                                         \
    __KCACHE_CONSTEXPR name##2(T x, T y) : x(x), y(y) {}                                          \
    template <class F>                                                                            \
    __KCACHE_CONSTEXPR name##2 __zip(const name##2& other, F f) const {                           \
      return {static_cast<T>(f(x, other.x)), static_cast<T>(f(y, other.y))};                      \
    }                                                                                             \
  };                                                                                              \
  struct name##3 {                                                                                \
    using __element = T;                                                                          \
    T x, y, z;                                                                                    \
    name##3() = default;                                                                          \
    __KCACHE_CONSTEXPR name##3(T all) : x(all), y(all), z(all) {}                                 \
    __KCACHE_CONSTEXPR name##3(T x, T y, T z) : x(x), y(y), z(z) {}                               \
    template <class F>                                                                            \
    __KCACHE_CONSTEXPR name##3 __zip(const name##3& other, F f) const {                           \
      return {static_cast<T>(f(x, other.x)), static_cast<T>(f(y, other.y)),                       \
              static_cast<T>(f(z, other.z))};                                                     \
    }                                                                                             \
  };                                                                                              \
  struct alignas(sizeof(T) > 4 ? 16 : 4 * sizeof(T)) name##4 {                                    \
    using __element = T;                                                                          \
    T x, y, z, w;                                                                                 \
    name##4() = default;                                                                          \
    __KCACHE_CONSTEXPR name##4(T all) : x(all), y(all), z(all), w(all) {}                         \
    __KCACHE_CONSTEXPR name##4(T x, T y, T z, T w) : x(x), y(y), z(z), w(w) {}                    \
    template <class F>                                                                            \
    __KCACHE_CONSTEXPR name##4 __zip(const name##4& other, F f) const {                           \
      return {static_cast<T>(f(x, other.x)), static_cast<T>(f(y, other.y)),                       \
              static_cast<T>(f(z, other.z)), static_cast<T>(f(w, other.w))};                      \
    }                                                                                             \
  };                                                                                              \
  __KCACHE_CONSTEXPR static inline name##1 make_##name##1(T x) { return {x}; }                    \
  __KCACHE_CONSTEXPR static inline name##2 make_##name##2(T x, T y) { return {x, y}; }            \
  __KCACHE_CONSTEXPR static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }    \
  __KCACHE_CONSTEXPR static inline name##4 make_##name##4(T x, T y, T z, T w) {                   \
    return {x, y, z, w};                                                                          \
  }

__KCACHE_VECTORS(signed char, char)
__KCACHE_VECTORS(unsigned char, uchar)
__KCACHE_VECTORS(short, short)
__KCACHE_VECTORS(unsigned short, ushort)
__KCACHE_VECTORS(int, int)
__KCACHE_VECTORS(unsigned, uint)
__KCACHE_VECTORS(long, long)
__KCACHE_VECTORS(unsigned long, ulong)
__KCACHE_VECTORS(long long, longlong)
__KCACHE_VECTORS(unsigned long long, ulonglong)
__KCACHE_VECTORS(float, float)
__KCACHE_VECTORS(double, double)

#define __KCACHE_OPERATOR(op)                                                                   \
  template <class V, class T = typename V::__element>                                           \
  __KCACHE_CONSTEXPR V operator op(const V& a, const V& b) {                                    \
    return a.__zip(b, [](T p, T q) { return p op q; });                                         \
  }                                                                                             \
  template <class V>                                                                            \
  __KCACHE_CONSTEXPR V operator op(const V& a, typename V::__element b) {                       \
    return a op V(b);                                                                           \
  }                                                                                             \
  template <class V>                                                                            \
  __KCACHE_CONSTEXPR V operator op(typename V::__element a, const V& b) {                       \
    return V(a) op b;                                                                           \
  }                                                                                             \
  template <class V, class T = typename V::__element>                                           \
  __KCACHE_CONSTEXPR V& operator op##=(V& a, const V& b) {                                      \
    return a = a op b;                                                                          \
  }                                                                                             \
  template <class V>                                                                            \
  __KCACHE_CONSTEXPR V& operator op##=(V& a, typename V::__element b) {                         \
    return a = a op V(b);                                                                       \
  }

__KCACHE_OPERATOR(+)
__KCACHE_OPERATOR(-)
__KCACHE_OPERATOR(*)
__KCACHE_OPERATOR(/)
__KCACHE_OPERATOR(%)
__KCACHE_OPERATOR(&)
__KCACHE_OPERATOR(|)
__KCACHE_OPERATOR(^)
__KCACHE_OPERATOR(<<)
__KCACHE_OPERATOR(>>)

template <class V, class T = typename V::__element>
__KCACHE_CONSTEXPR V operator-(const V& a) {
  return V(T(0)).__zip(a, [](T, T q) { return -q; });
}

template <class V, class T = typename V::__element>
__KCACHE_CONSTEXPR bool operator==(const V& a, const V& b) {
  bool same = true;
  a.__zip(b, [&same](T p, T q) {
    same = same && p == q;
    return p;
  });
  return same;
}

template <class V, class T = typename V::__element>
__KCACHE_CONSTEXPR bool operator!=(const V& a, const V& b) {
  return !(a == b);
}

#undef __KCACHE_VECTORS
#undef __KCACHE_OPERATOR
#undef __KCACHE_CONSTEXPR

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
      : x(x), y(y), z(z) {}
};
