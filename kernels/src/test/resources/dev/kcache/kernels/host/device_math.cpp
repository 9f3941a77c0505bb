// SPDX-License-Identifier: Apache-2.0
//
// Computes one function of device_math.hip on the host, and how far from exact each result is.
//
//   device_math FUNCTION TYPE   arguments on stdin; on stdout all results, then all errors, which are
//                               doubles in units in the last place; TYPE is f32, f64, f16 or bf16
//   device_math FUNCTION all    of each float; prints the largest error, and for which
//
// pow takes two arguments, one behind the other.
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "activations.h"
#include "device_math.h"
#include "half_math.h"
#include "roots.h"
#include "scalars.h"

namespace {

using kcache::bf16;
using kcache::f16;

// The type that exact results are computed in by the machine's own library; the bits of a number and
// the exponents behind the largest and of the smallest normal one, as numeric_limits has them.
template <class T, class W = double>
struct Format {
  using Wide = W;
  static constexpr int digits = std::numeric_limits<T>::digits;
  static constexpr int max_exponent = std::numeric_limits<T>::max_exponent;
};
template <>
struct Format<f16> {
  using Wide = double;
  static constexpr int digits = 11;
  static constexpr int max_exponent = 16;
};
template <>
struct Format<bf16> {
  using Wide = double;
  static constexpr int digits = 8;
  static constexpr int max_exponent = 128;
};
template <class T>
struct FormatOf : Format<T> {};
template <>
struct FormatOf<double> : Format<double, long double> {};
template <class T>
using Wide = typename FormatOf<T>::Wide;

// The distance, where an infinite number stands for the power of two behind the largest finite one.
template <class T>
double error(T rounded, Wide<T> exact) {
  using Limits = FormatOf<T>;
  using W = Wide<T>;
  const W result = kcache::widen(rounded);
  const double wrong = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(result)) return std::isnan(exact) && std::isnan(result) ? 0 : wrong;
  if (std::signbit(exact) != std::signbit(result)) return wrong;
  const W end = std::ldexp(W(1), Limits::max_exponent);
  const W expected = std::fmin(std::fabs(exact), end);
  const W actual = std::fmin(std::fabs(result), end);
  if (expected == actual) return 0;
  const int exponent = expected == 0 ? INT_MIN : std::ilogb(expected);
  const int bounded = std::min(std::max(exponent, 2 - Limits::max_exponent), Limits::max_exponent - 1);
  return static_cast<double>(std::ldexp(std::fabs(actual - expected), Limits::digits - 1 - bounded));
}

// exp of a sum whose second part is small.
long double exp(long double high, long double low) { return std::exp(high) * (1 + low); }

long double sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }

long double silu(long double x) { return std::isinf(x) ? std::fmax(x, -0.0L) : x * sigmoid(x); }

// x erfc(-x / sqrt(2)) / 2, with what x / sqrt(2) lacks.
long double gelu(long double x) {
  if (std::isinf(x)) return std::fmax(x, -0.0L);
  const long double root = 0xb504f333f9de6484p-63L, root_low = 0xb2fb1366ea957d3ep-128L;
  const long double y = x / root;
  const long double low = (std::fma(-y, root, x) - y * root_low) / root;
  const long double slope = 1.128379167095512573896L * std::exp(-y * y);
  return x * (std::erfc(-y) + slope * low) / 2;
}

// x / (1 + exp(-2 z)), z = sqrt(2 / pi) (x + 0.044715 x^3) in two parts.
long double gelu_tanh(long double x) {
  if (std::fabs(x) > 1e3L) return std::fmax(x, -0.0L);
  const long double c = 0xcc42299ea1b28468p-63L, c_low = 0xfcb3c500bab8e2ffp-128L;
  const long double d = 0x922279526c5a57a5p-67L, d_low = -0x843a29d1c7079669p-133L;
  const long double square = x * x, square_low = std::fma(x, x, -square);
  const long double cubic = square * d;
  const long double cubic_low = std::fma(square, d, -cubic) + square * d_low + square_low * d;
  const long double sum = cubic + c, of_c = sum - cubic;
  const long double low = (cubic - (sum - of_c)) + (c - of_c) + cubic_low + c_low;
  const long double t = x * sum, t_low = std::fma(x, sum, -t) + x * low;
  return x / (1 + exp(-t, -t_low));
}

template <class T>
struct Function {
  std::function<T(T, T)> own;
  std::function<Wide<T>(Wide<T>, Wide<T>)> exact;
};

template <class T>
Function<T> find(const std::string& name) {
  using W = Wide<T>;
#define ANY(name, exact) \
  {#name, {[](T x, T) { return T(kcache::math::name(kcache::widen(x))); }, [](W x, W) -> W { return exact; }}}
#define OWN(name, exact)                                                     \
  {#name,                                                                    \
   {[](T x, T) {                                                             \
      if constexpr (sizeof(T) == 2) return T(kcache::half::name(x));         \
      else return kcache::math::name(x);                                     \
    },                                                                       \
    [](W x, W) -> W { return exact; }}}
#define UNARY(name) OWN(name, std::name(x))
  const std::map<std::string, Function<T>> functions = {
      UNARY(erf), UNARY(tanh), UNARY(sin), UNARY(cos), UNARY(exp), UNARY(log), UNARY(sqrt),
      ANY(floor, std::floor(x)), ANY(ceil, std::ceil(x)), ANY(round, std::nearbyint(x)),
      OWN(rsqrt, 1 / std::sqrt(x)), OWN(sigmoid, sigmoid(x)), OWN(silu, silu(x)), OWN(gelu, gelu(x)),
      OWN(gelu_tanh, gelu_tanh(x)),
      {"pow",
       {[](T x, T y) {
          if constexpr (sizeof(T) == 2) return T(kcache::half::Pow(kcache::widen(y))(x));
          else return kcache::math::pow(x, y);
        },
        [](W x, W y) { return std::pow(x, y); }}}};
  return functions.at(name);
}

template <class T>
void sweep(const std::string& name) {
  const Function<T> function = find<T>(name);
  const size_t arity = name == "pow" ? 2 : 1;
  std::vector<T> results;
  std::vector<double> errors;
  T x[2] = {};
  while (std::fread(x, sizeof(T), arity, stdin) == arity) {
    results.push_back(function.own(x[0], x[1]));
    errors.push_back(error<T>(results.back(), function.exact(kcache::widen(x[0]), kcache::widen(x[1]))));
  }
  std::fwrite(results.data(), sizeof(T), results.size(), stdout);
  std::fwrite(errors.data(), sizeof(double), errors.size(), stdout);
}

void sweep_all(const std::string& name) {
  const Function<float> function = find<float>(name);
  double largest = 0;
  float where = 0;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; ++bits) {
    const float x = __uint_as_float(static_cast<uint32_t>(bits));
    const double found = error<float>(function.own(x, x), function.exact(x, x));
    if (found > largest) {
      largest = found;
      where = x;
    }
  }
  std::printf("%.4f %a\n", largest, where);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string kind = argv[2];
  if (kind == "all") {
    sweep_all(argv[1]);
  } else if (kind == "f32") {
    sweep<float>(argv[1]);
  } else if (kind == "f64") {
    sweep<double>(argv[1]);
  } else if (kind == "f16") {
    sweep<f16>(argv[1]);
  } else {
    sweep<bf16>(argv[1]);
  }
}
