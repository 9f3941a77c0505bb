// SPDX-License-Identifier: Apache-2.0
//
// Computes one function of device_math.h on the host, and how far from exact each result is.
//
//   device_math FUNCTION f32|f64   arguments on stdin; on stdout all results, then all errors, which
//                                  are doubles in units in the last place
//   device_math FUNCTION all       of each float; prints the largest error, and for which
//
// pow takes two arguments, one behind the other.
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

#include "device_math.h"

namespace {

// The type that exact results are computed in by the machine's own library.
template <class T>
struct Wide;
template <>
struct Wide<float> {
  using type = double;
};
template <>
struct Wide<double> {
  using type = long double;
};

// The distance, where an infinite number stands for the power of two behind the largest finite one.
template <class T>
double error(T result, typename Wide<T>::type exact) {
  using Limits = std::numeric_limits<T>;
  using W = typename Wide<T>::type;
  const double wrong = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(result)) return std::isnan(exact) && std::isnan(result) ? 0 : wrong;
  if (std::signbit(exact) != std::signbit(result)) return wrong;
  const W end = std::ldexp(W(1), Limits::max_exponent);
  const W expected = std::fmin(std::fabs(exact), end);
  const W actual = std::fmin(std::fabs(W(result)), end);
  if (expected == actual) return 0;
  const W largest = Limits::max(), smallest = Limits::min();
  const int exponent = std::ilogb(std::fmax(std::fmin(expected, largest), smallest));
  return static_cast<double>(std::ldexp(std::fabs(actual - expected), Limits::digits - 1 - exponent));
}

template <class T>
struct Function {
  std::function<T(T, T)> own;
  std::function<typename Wide<T>::type(typename Wide<T>::type, typename Wide<T>::type)> exact;
};

template <class T>
Function<T> find(const std::string& name) {
  using W = typename Wide<T>::type;
#define UNARY(name) \
  {#name, {[](T x, T) { return kcache::math::name(x); }, [](W x, W) { return std::name(x); }}}
  const std::map<std::string, Function<T>> functions = {
      UNARY(erf), UNARY(tanh), UNARY(sin), UNARY(cos), UNARY(exp), UNARY(log),
      {"pow", {[](T x, T y) { return kcache::math::pow(x, y); }, [](W x, W y) { return std::pow(x, y); }}}};
  return functions.at(name);
}

template <class T>
void sweep(const std::string& name) {
  const Function<T> function = find<T>(name);
  const size_t arity = name == "pow" ? 2 : 1;
  std::vector<T> results;
  std::vector<double> errors;
  T x[2];
  while (std::fread(x, sizeof(T), arity, stdin) == arity) {
    results.push_back(function.own(x[0], x[1]));
    errors.push_back(error<T>(results.back(), function.exact(x[0], x[1])));
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
  } else {
    sweep<double>(argv[1]);
  }
}
