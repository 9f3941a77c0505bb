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

// factor / (1 + exp(-t)) by e = exp(-|t|), where |t| is at most exp_end: factor / (1 + e), or for a
// negative t factor e / (1 + e), with a factor that is bounded. The latter is lowered last, as e
// alone may be subnormal or 0.
template <class T>
__device__ T logistic(bool negative, T factor, T bounded, Pair<T> minus_size_of_t) {
  const T e = raised_exp(minus_size_of_t);
  const T dividend = negative ? product(bounded, e) : factor;
  const T quotient = product(dividend, inverse(fused(e, lowering<T>(), T(1))));
  return product(quotient, negative ? lowering<T>() : T(1));
}

// 1 / (1 + exp(-x)).
template <class T>
__device__ T sigmoid(T x) {
  const T size = at_most(Constants<T>::exp_end, magnitude(x));
  return logistic(x < 0, T(1), T(1), Pair<T>{-size, 0});
}

// x / (1 + exp(-x)).
template <class T>
__device__ T silu(T x) {
  const T size = at_most(Constants<T>::exp_end, magnitude(x));
  return logistic(x < 0, x, -size, Pair<T>{-size, 0});
}

// x times the normal distribution up to x: x (1 + erf(x / sqrt(2))) / 2. It is made of the
// distribution beyond |x|, so that no sum cancels for x < 0.
template <class T>
__device__ T gelu(T x) {
  const T size = at_most(Constants<T>::gelu_end, magnitude(x));
  const T inverse = near_inverse(size + 4);
  const T rest = fused(-inverse, size, fused(T(-4), inverse, T(1)));
  const T inverse_low = product(rest, inverse);
  // (size - 4) / (size + 4).
  const T u = fused(T(-8), inverse_low, fused(T(-8), inverse, T(1)));
  const T fit = tail_fit(u);
  const T ratio = fused(fit, inverse, product(fit, inverse_low));
  const T e = raised_exp(exact_product(size, product(T(-0.5), size)));
  const T beyond = product(ratio, e);
  return x < 0 ? product(product(-size, beyond), lowering<T>()) : product(x, fused(-beyond, lowering<T>(), T(1)));
}

// x (1 + tanh(z)) / 2, z = sqrt(2 / pi) (x + 0.044715 x^3), which is x / (1 + exp(-2 z)). z has
// more bits than T, for exp multiplies its error.
template <class T>
__device__ T gelu_tanh(T x) {
  using C = Constants<T>;
  const T size = at_most(C::gelu_tanh_end, magnitude(x));
  const Pair<T> coefficient = {C::gelu_cubic, C::gelu_cubic_low};
  const Pair<T> cubic = product(exact_product(size, size), coefficient);
  const Pair<T> slope = sum(C::gelu_slope, cubic.high);
  const Pair<T> t = exact_product(-size, slope.high);
  const T low = slope.low + (cubic.low + C::gelu_slope_low);
  return logistic(x < 0, x, -size, Pair<T>{t.high, fused(-size, low, t.low)});
}

}  // namespace kcache::math
