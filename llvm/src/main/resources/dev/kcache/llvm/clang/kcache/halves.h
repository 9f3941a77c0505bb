// SPDX-License-Identifier: Apache-2.0
//
// What HIP's two types of half a word have in common: arithmetic, comparisons, mathematical functions that
// go through float, and functions of pairs, which are those of both parts.
//
// Each of these is compiled whether or not a kernel calls it. On a type with conversions an operator has
// hundreds of candidates, and a copy has all constructors. So the bodies compute with numbers of the
// language's own types, make results of them with __of, and copy with __KCACHE_COPY.
#pragma once

#include <kcache/language.h>
#include <kcache/math.h>

#define __KCACHE_COPY(a) __builtin_bit_cast(decltype(a), a)

#define __KCACHE_OF_PAIR(P, name, of)                                                    \
  __KCACHE_DEVICE P name(P a) { return {of(__KCACHE_COPY(a.x)), of(__KCACHE_COPY(a.y))}; }
#define __KCACHE_OF_PAIRS(P, name, of)                                                   \
  __KCACHE_DEVICE P name(P a, P b) {                                                     \
    return {of(__KCACHE_COPY(a.x), __KCACHE_COPY(b.x)),                                  \
            of(__KCACHE_COPY(a.y), __KCACHE_COPY(b.y))};                                 \
  }
#define __KCACHE_OF_THREE_PAIRS(P, name, of)                                             \
  __KCACHE_DEVICE P name(P a, P b, P c) {                                                \
    return {of(__KCACHE_COPY(a.x), __KCACHE_COPY(b.x), __KCACHE_COPY(c.x)),              \
            of(__KCACHE_COPY(a.y), __KCACHE_COPY(b.y), __KCACHE_COPY(c.y))};             \
  }

// Written as a call, the assignment has no candidates but those of its type.
#define __KCACHE_ARITHMETIC(H, P, N, op, name, name2)                                    \
  __KCACHE_DEVICE H name(H a, H b) { return H::__of(a.N op b.N); }                       \
  __KCACHE_DEVICE H operator op(H a, H b) { return H::__of(a.N op b.N); }                \
  __KCACHE_DEVICE H& operator op##=(H& a, H b) {                                         \
    return a.operator=(H::__of(a.N op b.N));                                             \
  }                                                                                      \
  __KCACHE_OF_PAIRS(P, name2, name)                                                      \
  __KCACHE_OF_PAIRS(P, operator op, name)                                                \
  __KCACHE_DEVICE P& operator op##=(P& a, P b) {                                         \
    return a.operator=(name2(__builtin_bit_cast(P, a), __KCACHE_COPY(b)));               \
  }

// Of two pairs there is a pair of results, 1 or 0, and with a b whether it holds for both.
#define __KCACHE_COMPARES(H, P, N, name, negation, op)                                   \
  __KCACHE_DEVICE bool __h##name(H a, H b) { return negation(a.N op b.N); }              \
  __KCACHE_DEVICE P __h##name##2(P a, P b) {                                             \
    return {H::__of_truth(negation(a.x.N op b.x.N)),                                     \
            H::__of_truth(negation(a.y.N op b.y.N))};                                    \
  }                                                                                      \
  __KCACHE_DEVICE bool __hb##name##2(P a, P b) {                                         \
    return __h##name(__KCACHE_COPY(a.x), __KCACHE_COPY(b.x)) &&                          \
           __h##name(__KCACHE_COPY(a.y), __KCACHE_COPY(b.y));                            \
  }

#define __KCACHE_THROUGH_FLOAT(H, P, N, name, f)                                         \
  __KCACHE_DEVICE H h##name(H a) { return H::__of(f(a.N)); }                             \
  __KCACHE_OF_PAIR(P, h2##name, h##name)

#ifdef __KCACHE_DEVICE_LIBRARY__
#define __KCACHE_HALF_CIRCULAR(H, P, N)                                                  \
  __KCACHE_THROUGH_FLOAT(H, P, N, cos, cosf)                                             \
  __KCACHE_THROUGH_FLOAT(H, P, N, sin, sinf)
#else
#define __KCACHE_HALF_CIRCULAR(H, P, N)                                                  \
  __KCACHE_LACKING("hcos") H hcos(H);                                                    \
  __KCACHE_LACKING("hsin") H hsin(H);                                                    \
  __KCACHE_LACKING("h2cos") P h2cos(P);                                                  \
  __KCACHE_LACKING("h2sin") P h2sin(P);
#endif

// For a type H, which has __habs, __hneg, __hmin, __hmax, __hfma and __hisinf, and its pair P. The number of an H a
// is a.N.
#define __KCACHE_HALVES(H, P, N)                                                         \
  __KCACHE_ARITHMETIC(H, P, N, +, __hadd, __hadd2)                                       \
  __KCACHE_ARITHMETIC(H, P, N, -, __hsub, __hsub2)                                       \
  __KCACHE_ARITHMETIC(H, P, N, *, __hmul, __hmul2)                                       \
  __KCACHE_ARITHMETIC(H, P, N, /, __hdiv, __h2div)                                       \
  __KCACHE_OF_PAIRS(P, __hmax2, __hmax)                                                  \
  __KCACHE_OF_PAIRS(P, __hmin2, __hmin)                                                  \
  __KCACHE_OF_PAIR(P, __hneg2, __hneg)                                                   \
  __KCACHE_OF_PAIR(P, __habs2, __habs)                                                   \
  __KCACHE_OF_THREE_PAIRS(P, __hfma2, __hfma)                                            \
  __KCACHE_DEVICE H operator-(H a) { return __hneg(__KCACHE_COPY(a)); }                  \
  __KCACHE_DEVICE P operator-(P a) { return __hneg2(__KCACHE_COPY(a)); }                 \
                                                                                         \
  __KCACHE_COMPARES(H, P, N, eq, , ==)                                                   \
  __KCACHE_COMPARES(H, P, N, ne, , !=)                                                   \
  __KCACHE_COMPARES(H, P, N, lt, , <)                                                    \
  __KCACHE_COMPARES(H, P, N, le, , <=)                                                   \
  __KCACHE_COMPARES(H, P, N, gt, , >)                                                    \
  __KCACHE_COMPARES(H, P, N, ge, , >=)                                                   \
  /* These hold also where one of them is no number. */                                  \
  __KCACHE_COMPARES(H, P, N, neu, !, ==)                                                 \
  __KCACHE_COMPARES(H, P, N, ltu, !, >=)                                                 \
  __KCACHE_COMPARES(H, P, N, leu, !, >)                                                  \
  __KCACHE_COMPARES(H, P, N, gtu, !, <=)                                                 \
  __KCACHE_COMPARES(H, P, N, geu, !, <)                                                  \
  __KCACHE_DEVICE bool __hequ(H a, H b) {                                                \
    return !__hlt(__KCACHE_COPY(a), __KCACHE_COPY(b)) &&                                 \
           !__hgt(__KCACHE_COPY(a), __KCACHE_COPY(b));                                   \
  }                                                                                      \
  __KCACHE_DEVICE P __hequ2(P a, P b) {                                                  \
    return {H::__of_truth(__hequ(__KCACHE_COPY(a.x), __KCACHE_COPY(b.x))),               \
            H::__of_truth(__hequ(__KCACHE_COPY(a.y), __KCACHE_COPY(b.y)))};              \
  }                                                                                      \
  __KCACHE_DEVICE bool __hbequ2(P a, P b) {                                              \
    return __hequ(__KCACHE_COPY(a.x), __KCACHE_COPY(b.x)) &&                             \
           __hequ(__KCACHE_COPY(a.y), __KCACHE_COPY(b.y));                               \
  }                                                                                      \
                                                                                         \
  __KCACHE_DEVICE bool __hisnan(H a) { return a.N != a.N; }                              \
  __KCACHE_DEVICE P __hisnan2(P a) {                                                     \
    return {H::__of_truth(a.x.N != a.x.N), H::__of_truth(a.y.N != a.y.N)};               \
  }                                                                                      \
  __KCACHE_DEVICE P __hisinf2(P a) {                                                     \
    return {H::__of_truth(__hisinf(__KCACHE_COPY(a.x))),                                 \
            H::__of_truth(__hisinf(__KCACHE_COPY(a.y)))};                                \
  }                                                                                      \
  __KCACHE_DEVICE H __hmax_nan(H a, H b) {                                               \
    return a.N != a.N   ? __KCACHE_COPY(a)                                               \
           : b.N != b.N ? __KCACHE_COPY(b)                                               \
                        : __hmax(__KCACHE_COPY(a), __KCACHE_COPY(b));                    \
  }                                                                                      \
  __KCACHE_DEVICE H __hmin_nan(H a, H b) {                                               \
    return a.N != a.N   ? __KCACHE_COPY(a)                                               \
           : b.N != b.N ? __KCACHE_COPY(b)                                               \
                        : __hmin(__KCACHE_COPY(a), __KCACHE_COPY(b));                    \
  }                                                                                      \
                                                                                         \
  __KCACHE_THROUGH_FLOAT(H, P, N, ceil, ceilf)                                           \
  __KCACHE_THROUGH_FLOAT(H, P, N, exp, expf)                                             \
  __KCACHE_THROUGH_FLOAT(H, P, N, exp10, exp10f)                                         \
  __KCACHE_THROUGH_FLOAT(H, P, N, exp2, exp2f)                                           \
  __KCACHE_THROUGH_FLOAT(H, P, N, floor, floorf)                                         \
  __KCACHE_THROUGH_FLOAT(H, P, N, log, logf)                                             \
  __KCACHE_THROUGH_FLOAT(H, P, N, log10, log10f)                                         \
  __KCACHE_THROUGH_FLOAT(H, P, N, log2, log2f)                                           \
  __KCACHE_THROUGH_FLOAT(H, P, N, rcp, __frcp_rn)                                        \
  __KCACHE_THROUGH_FLOAT(H, P, N, rint, rintf)                                           \
  __KCACHE_THROUGH_FLOAT(H, P, N, rsqrt, rsqrtf)                                         \
  __KCACHE_THROUGH_FLOAT(H, P, N, sqrt, sqrtf)                                           \
  __KCACHE_THROUGH_FLOAT(H, P, N, trunc, truncf)                                         \
  __KCACHE_HALF_CIRCULAR(H, P, N)
