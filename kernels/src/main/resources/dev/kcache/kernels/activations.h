// SPDX-License-Identifier: Apache-2.0
//
// sigmoid, silu and gelu of float and double, in namespace kcache::math: of the functions of
// device_math.h, in ways that neither overflow nor cancel.
//
// -infinity gives the limit, a zero with the sign of the values before it.
#pragma once

#include <hip/hip_runtime.h>

#include "device_math.h"
#include "exact.h"

namespace kcache::math {

// factor / (1 + exp(-t)), by e = exp(-|t|): factor / (1 + e) or factor e / (1 + e). The latter is
// scaled last, as e alone may be subnormal or 0.
template <class T>
__device__ T logistic(T factor, Pair<T> t) {
  const bool negative = t.high < 0;
  const Scaled<T> e = scaled_exp(negative ? t : Pair<T>{-t.high, -t.low});
  const T divisor = 1 + scale(e);
  const T quotient = (negative ? product(factor, e.value) : factor) / divisor;
  return scale(quotient, negative ? e.count : 0);
}

// 1 / (1 + exp(-x)).
template <class T>
__device__ T sigmoid(T x) {
  return logistic(T(1), Pair<T>{x, 0});
}

// x / (1 + exp(-x)).
template <class T>
__device__ T silu(T x) {
  return logistic(at_least(-Constants<T>::exp_end, x), Pair<T>{x, 0});
}

// x times the normal distribution up to x: x (1 + erf(x / sqrt(2))) / 2. It is made of the
// distribution beyond |x|, so that no sum cancels for x < 0.
template <class T>
__device__ T gelu(T x) {
  const T size = at_most(Constants<T>::gelu_end, magnitude(x));
  const Pair<T> divisor = sum(T(4), size);
  const T inverse = 1 / divisor.high;
  const T rest = fused(-inverse, divisor.low, fused(-inverse, divisor.high, T(1)));
  const T inverse_low = product(rest, inverse);
  // (size - 4) / (size + 4).
  const T u = fused(T(-8), inverse_low, fused(T(-8), inverse, T(1)));
  const T fit = tail_fit(u);
  const T ratio = fused(fit, inverse, product(fit, inverse_low));
  const Scaled<T> e = scaled_exp(exact_product(size, product(T(-0.5), size)));
  const T beyond = product(ratio, e.value);
  return x < 0 ? scale(product(-size, beyond), e.count) : product(x, 1 - scale(beyond, e.count));
}

// x (1 + tanh(z)) / 2, z = sqrt(2 / pi) (x + 0.044715 x^3), which is x / (1 + exp(-2 z)). z has
// more bits than T, for exp multiplies its error.
template <class T>
__device__ T gelu_tanh(T x) {
  using C = Constants<T>;
  const T factor = at_least(-C::gelu_end, x);
  const T bounded = at_most(C::gelu_end, factor);
  const Pair<T> coefficient = {C::gelu_cubic, C::gelu_cubic_low};
  const Pair<T> cubic = product(exact_product(bounded, bounded), coefficient);
  const Pair<T> slope = sum(C::gelu_slope, cubic.high);
  const Pair<T> t = exact_product(bounded, slope.high);
  const T low = slope.low + (cubic.low + C::gelu_slope_low);
  return logistic(factor, {t.high, fused(bounded, low, t.low)});
}

}  // namespace kcache::math
