// SPDX-License-Identifier: Apache-2.0
//
// What HIP's two types of half a word have in common: functions of pairs, which are those of both parts,
// comparisons, and mathematical functions that go through float.
#pragma once

#include <kcache/language.h>
#include <kcache/math.h>

#define __KCACHE_OF_PAIR(P, name, of) \
  __KCACHE_DEVICE P name(P a) { return {of(a.x), of(a.y)}; }
#define __KCACHE_OF_PAIRS(P, name, of) \
  __KCACHE_DEVICE P name(P a, P b) { return {of(a.x, b.x), of(a.y, b.y)}; }
#define __KCACHE_OF_THREE_PAIRS(P, name, of) \
  __KCACHE_DEVICE P name(P a, P b, P c) { return {of(a.x, b.x, c.x), of(a.y, b.y, c.y)}; }

// Of two pairs there is a pair of results, 1 or 0, and with a b whether it holds for both.
#define __KCACHE_COMPARES(H, P, name, holds)                                  \
  __KCACHE_DEVICE bool __h##name(H a, H b) { return holds; }                  \
  __KCACHE_DEVICE P __h##name##2(P a, P b) {                                  \
    return {H(int(__h##name(a.x, b.x))), H(int(__h##name(a.y, b.y)))};        \
  }                                                                           \
  __KCACHE_DEVICE bool __hb##name##2(P a, P b) {                              \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                        \
  }

// Those with a u hold also where one of them is no number.
#define __KCACHE_COMPARISON(H, P, F, name, op, opposite)                      \
  __KCACHE_COMPARES(H, P, name, F(a) op F(b))                                 \
  __KCACHE_COMPARES(H, P, name##u, opposite)

#define __KCACHE_THROUGH_FLOAT(H, name, f) \
  __KCACHE_DEVICE H name(H a) { return H(f(float(a))); }

#ifdef __KCACHE_DEVICE_LIBRARY__
#define __KCACHE_HALF_CIRCULAR(H, P)        \
  __KCACHE_THROUGH_FLOAT(H, hcos, cosf)     \
  __KCACHE_THROUGH_FLOAT(H, hsin, sinf)     \
  __KCACHE_OF_PAIR(P, h2cos, hcos)          \
  __KCACHE_OF_PAIR(P, h2sin, hsin)
#else
#define __KCACHE_HALF_CIRCULAR(H, P)        \
  __KCACHE_LACKING("hcos") H hcos(H);       \
  __KCACHE_LACKING("hsin") H hsin(H);       \
  __KCACHE_LACKING("h2cos") P h2cos(P);     \
  __KCACHE_LACKING("h2sin") P h2sin(P);
#endif

// For a type H, which has operators, __habs, __hneg, __hmin, __hmax and __hfma, its pair P, and the type F
// that numbers of H are compared in.
#define __KCACHE_HALVES(H, P, F)                                              \
  __KCACHE_COMPARISON(H, P, F, eq, ==, !(F(a) < F(b)) && !(F(a) > F(b)))      \
  __KCACHE_COMPARISON(H, P, F, ne, !=, !(F(a) == F(b)))                       \
  __KCACHE_COMPARISON(H, P, F, lt, <, !(F(a) >= F(b)))                        \
  __KCACHE_COMPARISON(H, P, F, le, <=, !(F(a) > F(b)))                        \
  __KCACHE_COMPARISON(H, P, F, gt, >, !(F(a) <= F(b)))                        \
  __KCACHE_COMPARISON(H, P, F, ge, >=, !(F(a) < F(b)))                        \
                                                                              \
  __KCACHE_DEVICE H __hadd(H a, H b) { return a + b; }                        \
  __KCACHE_DEVICE H __hsub(H a, H b) { return a - b; }                        \
  __KCACHE_DEVICE H __hmul(H a, H b) { return a * b; }                        \
  __KCACHE_DEVICE H __hdiv(H a, H b) { return a / b; }                        \
  __KCACHE_DEVICE bool __hisnan(H a) { return F(a) != F(a); }                 \
  __KCACHE_DEVICE bool __hisinf(H a) { return __builtin_isinf(float(a)); }    \
  __KCACHE_DEVICE H __hmax_nan(H a, H b) {                                    \
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);                  \
  }                                                                           \
  __KCACHE_DEVICE H __hmin_nan(H a, H b) {                                    \
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);                  \
  }                                                                           \
  __KCACHE_DEVICE P __hisnan2(P a) {                                          \
    return {H(int(__hisnan(a.x))), H(int(__hisnan(a.y)))};                    \
  }                                                                           \
  __KCACHE_DEVICE P __hisinf2(P a) {                                          \
    return {H(int(__hisinf(a.x))), H(int(__hisinf(a.y)))};                    \
  }                                                                           \
  __KCACHE_OF_PAIRS(P, __hadd2, __hadd)                                       \
  __KCACHE_OF_PAIRS(P, __hsub2, __hsub)                                       \
  __KCACHE_OF_PAIRS(P, __hmul2, __hmul)                                       \
  __KCACHE_OF_PAIRS(P, __h2div, __hdiv)                                       \
  __KCACHE_OF_PAIRS(P, __hmax2, __hmax)                                       \
  __KCACHE_OF_PAIRS(P, __hmin2, __hmin)                                       \
  __KCACHE_OF_PAIR(P, __hneg2, __hneg)                                        \
  __KCACHE_OF_PAIR(P, __habs2, __habs)                                        \
  __KCACHE_OF_THREE_PAIRS(P, __hfma2, __hfma)                                 \
                                                                              \
  __KCACHE_THROUGH_FLOAT(H, hceil, ceilf)                                     \
  __KCACHE_THROUGH_FLOAT(H, hexp, expf)                                       \
  __KCACHE_THROUGH_FLOAT(H, hexp10, exp10f)                                   \
  __KCACHE_THROUGH_FLOAT(H, hexp2, exp2f)                                     \
  __KCACHE_THROUGH_FLOAT(H, hfloor, floorf)                                   \
  __KCACHE_THROUGH_FLOAT(H, hlog, logf)                                       \
  __KCACHE_THROUGH_FLOAT(H, hlog10, log10f)                                   \
  __KCACHE_THROUGH_FLOAT(H, hlog2, log2f)                                     \
  __KCACHE_THROUGH_FLOAT(H, hrcp, __frcp_rn)                                  \
  __KCACHE_THROUGH_FLOAT(H, hrint, rintf)                                     \
  __KCACHE_THROUGH_FLOAT(H, hrsqrt, rsqrtf)                                   \
  __KCACHE_THROUGH_FLOAT(H, hsqrt, sqrtf)                                     \
  __KCACHE_THROUGH_FLOAT(H, htrunc, truncf)                                   \
  __KCACHE_HALF_CIRCULAR(H, P)                                                \
  __KCACHE_OF_PAIR(P, h2ceil, hceil)                                          \
  __KCACHE_OF_PAIR(P, h2exp, hexp)                                            \
  __KCACHE_OF_PAIR(P, h2exp10, hexp10)                                        \
  __KCACHE_OF_PAIR(P, h2exp2, hexp2)                                          \
  __KCACHE_OF_PAIR(P, h2floor, hfloor)                                        \
  __KCACHE_OF_PAIR(P, h2log, hlog)                                            \
  __KCACHE_OF_PAIR(P, h2log10, hlog10)                                        \
  __KCACHE_OF_PAIR(P, h2log2, hlog2)                                          \
  __KCACHE_OF_PAIR(P, h2rcp, hrcp)                                            \
  __KCACHE_OF_PAIR(P, h2rint, hrint)                                          \
  __KCACHE_OF_PAIR(P, h2rsqrt, hrsqrt)                                        \
  __KCACHE_OF_PAIR(P, h2sqrt, hsqrt)                                          \
  __KCACHE_OF_PAIR(P, h2trunc, htrunc)
