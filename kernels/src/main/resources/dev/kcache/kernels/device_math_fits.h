// SPDX-License-Identifier: Apache-2.0
//
// Coefficients and constants of device_math.h and half_math.h, made by scripts/fit-functions. A
// value in several parts is their sum, each rounded to nearest.
#pragma once

#include <stdint.h>

#include "exact.h"

namespace kcache::math {

template <class T>
struct Constants;

template <>
struct Constants<float> {
  static constexpr float per_ln2 = 0x1.715476p+0f;
  static constexpr float ln2 = 0x1.62e430p-1f;
  static constexpr float ln2_low = -0x1.05c610p-29f;
  static constexpr float root_of_half = 0x1.6a09e6p-1f;
  static constexpr float twelfth = 0x1.555556p-4f;
  static constexpr float twelfth_low = -0x1.555556p-29f;
  static constexpr float erfc_start = 0x1.ba36dap-3f;
  static constexpr float per_quarter_turn = 0x1.45f306p-1f;
  static constexpr float quarter_turn = 0x1.921fb6p+0f;
  static constexpr float quarter_turn_low = -0x1.777a5cp-25f;
  static constexpr float quarter_turn_lowest = -0x1.ee59dap-50f;
  static constexpr float gelu_slope = 0x1.988454p+0f;
  static constexpr float gelu_slope_low = -0x1.857936p-25f;
  static constexpr float gelu_cubic = 0x1.2444f2p-4f;
  static constexpr float gelu_cubic_low = 0x1.49b16ap-29f;
  // From here on exp is infinite, and that of the negative 0; small_angle counts its quarter turns
  // exactly enough; tanh and erf are 1; gelu and gelu_tanh are x or -0.
  static constexpr float exp_end = 110;
  static constexpr float small_angle = 0x1p16f;
  static constexpr float tanh_end = 10;
  static constexpr float erf_end = 4;
  static constexpr float gelu_end = 15;
  static constexpr float gelu_tanh_end = 11;
};

template <>
struct Constants<double> {
  static constexpr double per_ln2 = 0x1.71547652b82fep+0;
  static constexpr double ln2 = 0x1.62e42fefa39efp-1;
  static constexpr double ln2_low = 0x1.abc9e3b39803fp-56;
  static constexpr double root_of_half = 0x1.6a09e667f3bcdp-1;
  static constexpr double twelfth = 0x1.5555555555555p-4;
  static constexpr double twelfth_low = 0x1.5555555555555p-58;
  static constexpr double erfc_start = 0x1.ba36dab91c0e9p-3;
  static constexpr double per_quarter_turn = 0x1.45f306dc9c883p-1;
  static constexpr double quarter_turn = 0x1.921fb54442d18p+0;
  static constexpr double quarter_turn_low = 0x1.1a62633145c07p-54;
  static constexpr double quarter_turn_lowest = -0x1.f1976b7ed8fbcp-110;
  static constexpr double gelu_slope = 0x1.9884533d43651p+0;
  static constexpr double gelu_slope_low = -0x1.cbc0d30ebfd15p-54;
  static constexpr double gelu_cubic = 0x1.2444f2a4d8b4bp-4;
  static constexpr double gelu_cubic_low = -0x1.6c843a29d1c70p-61;
  // From here on exp is infinite, and that of the negative 0; small_angle counts its quarter turns
  // exactly enough; tanh and erf are 1; gelu and gelu_tanh are x or -0.
  static constexpr double exp_end = 800;
  static constexpr double small_angle = 0x1p28;
  static constexpr double tanh_end = 20;
  static constexpr double erf_end = 6;
  static constexpr double gelu_end = 40;
  static constexpr double gelu_tanh_end = 22;
};

// 32 zeros, and the bits of 2 / pi behind the point.
__device__ constexpr uint32_t two_over_pi[] = {
    0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c,
    0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4,
    0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf,
    0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
    0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

// (exp(r) - 1 - r - r^2 / 2) / r^3 for |r| <= ln(2) / 2.
inline __device__ float exp_fit(float x) {
  return polynomial(x, 0x1.555556p-3f, 0x1.55551ap-5f, 0x1.1110ccp-7f, 0x1.6d1134p-10f, 0x1.a151a8p-13f);
}

// (2 atanh(s / 2) / s - 1 - z / 12) / z^2 of z = s^2, for |s| <= 6 - 4 sqrt(2).
inline __device__ float log_fit(float x) {
  return polynomial(x, 0x1.9999a4p-7f, 0x1.247a0ep-9f, 0x1.d81006p-12f);
}

// (sin(r) / r - 1) / z of z = r^2, for |r| <= pi / 4.
inline __device__ float sin_fit(float x) {
  return polynomial(x, -0x1.555556p-3f, 0x1.11110ep-7f, -0x1.a0138ep-13f, 0x1.6db5e0p-19f);
}

// (cos(r) - 1 + z / 2) / z^2 of z = r^2, for |r| <= pi / 4.
inline __device__ float cos_fit(float x) {
  return polynomial(x, 0x1.555554p-5f, -0x1.6c12c4p-10f, 0x1.9bd05ap-16f);
}

// (tanh(x) / x - 1) / z of z = x^2, for |x| <= 0.55.
inline __device__ float tanh_fit(float x) {
  return polynomial(x, -0x1.555554p-2f, 0x1.110ff4p-3f, -0x1.b9a2eep-5f, 0x1.5d3e2ap-6f, -0x1.b1eec2p-8f);
}

// erf(x) / x - 1 of z = x^2, for |x| <= 7 / 8.
inline __device__ float erf_fit(float x) {
  return polynomial(x, 0x1.06eba8p-3f, -0x1.812744p-2f, 0x1.ce2e8ep-4f, -0x1.b81a72p-6f, 0x1.5542a6p-8f,
                    -0x1.aec8a6p-11f, 0x1.6cdc72p-14f);
}

// log((1 - erf(7 / 8 + t)) / erfc_start) / t, for t <= 3.125; errors count less where 1 - erf is small.
inline __device__ float erfc_fit(float x) {
  return polynomial(x, -0x1.371170p+1f, -0x1.a73070p-1f, -0x1.803406p-5f, 0x1.73b270p-7f, -0x1.2000bep-9f,
                    0x1.2641bap-12f, -0x1.80930ap-17f, -0x1.90307ap-20f);
}

// (a + 4) times the normal distribution beyond a over exp(-a^2 / 2), of u = (a - 4) / (a + 4) for -1 <= u <= 0.579.
inline __device__ float tail_fit(float x) {
  return polynomial(x, 0x1.82b4bcp-1f, -0x1.373e38p-1f, 0x1.8c6d9ep-2f, -0x1.7e001ep-3f, 0x1.eed34cp-5f,
                    -0x1.ed17c0p-8f, -0x1.cc16c6p-9f, 0x1.9b25a6p-10f, 0x1.6e3e48p-13f, -0x1.197366p-13f);
}

// (exp(r) - 1 - r - r^2 / 2) / r^3 for |r| <= ln(2) / 2.
inline __device__ double exp_fit(double x) {
  return polynomial(x, 0x1.5555555555556p-3, 0x1.5555555555556p-5, 0x1.11111111109afp-7,
                    0x1.6c16c16c15dbfp-10, 0x1.a01a01a7c7759p-13, 0x1.a01a01a939ea5p-16,
                    0x1.71de0da186524p-19, 0x1.27e4d4c969460p-22, 0x1.af38c80e6c692p-26,
                    0x1.1f7f3b9b968b1p-29);
}

// (2 atanh(s / 2) / s - 1 - z / 12) / z^2 of z = s^2, for |s| <= 6 - 4 sqrt(2).
inline __device__ double log_fit(double x) {
  return polynomial(x, 0x1.999999999999ap-7, 0x1.2492492492523p-9, 0x1.c71c71c6ea424p-12,
                    0x1.745d177ae0d81p-14, 0x1.3b1395b5f79d7p-16, 0x1.1118cd522fba8p-18,
                    0x1.df7bbf1190ce3p-21, 0x1.e0386ce9e8bb1p-23);
}

// (sin(r) / r - 1) / z of z = r^2, for |r| <= pi / 4.
inline __device__ double sin_fit(double x) {
  return polynomial(x, -0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a0198f1p-13,
                    0x1.71de3a5458004p-19, -0x1.ae645403e7bf2p-26, 0x1.6121734cb0f05p-33,
                    -0x1.ab10ed40642bap-41);
}

// (cos(r) - 1 + z / 2) / z^2 of z = r^2, for |r| <= pi / 4.
inline __device__ double cos_fit(double x) {
  return polynomial(x, 0x1.5555555555555p-5, -0x1.6c16c16c1694bp-10, 0x1.a01a019f48337p-16,
                    -0x1.27e4fa0f74ec0p-22, 0x1.1eeb602f22dedp-29, -0x1.90775e3e41658p-37);
}

// (tanh(x) / x - 1) / z of z = x^2, for |x| <= 0.55.
inline __device__ double tanh_fit(double x) {
  return polynomial(x, -0x1.5555555555555p-2, 0x1.111111111103cp-3, -0x1.ba1ba1b9ffdcep-5,
                    0x1.664f48776e7ccp-6, -0x1.226e32ff59155p-7, 0x1.d6d33c2566100p-9,
                    -0x1.7d97fc0813089p-10, 0x1.34c7436d6ee87p-11, -0x1.ec2295ff8ad00p-13,
                    0x1.65358d4478b03p-14, -0x1.5a3c3e2c59d0cp-16);
}

// erf(x) / x - 1 of z = x^2, for |x| <= 7 / 8.
inline __device__ double erf_fit(double x) {
  return polynomial(x, 0x1.06eba8214db69p-3, -0x1.812746b0379e5p-2, 0x1.ce2f21a0429c0p-4,
                    -0x1.b82ce3127ba3cp-6, 0x1.565bcd0bd453ap-8, -0x1.c02db3658b749p-11,
                    0x1.f9a31006c57e6p-14, -0x1.f4d01d6033c2dp-17, 0x1.b9c122202d21fp-20,
                    -0x1.5dd083619060cp-23, 0x1.e54e0f5be8accp-27, -0x1.dc9f95ba681e7p-31);
}

// log((1 - erf(7 / 8 + t)) / erfc_start) / t, for t <= 5.125; errors count less where 1 - erf is small.
inline __device__ double erfc_fit(double x) {
  return polynomial(x, -0x1.3711709c17b50p+1, -0x1.a730790b4c809p-1, -0x1.802c2794a790fp-5,
                    0x1.730b0ecca40dep-7, -0x1.1904a0472cb01p-9, 0x1.a51540376881bp-13,
                    0x1.f1409b34a97ebp-15, -0x1.4a19a78354ea4p-15, 0x1.96c7b9b8a6edap-17,
                    -0x1.0ab86b7542908p-19, -0x1.906d4022cba37p-23, 0x1.24b54fc24c35dp-22,
                    -0x1.ed124b7d68b36p-24, 0x1.16041e85b2266p-25, -0x1.cca7bd4dc1638p-28,
                    0x1.179d2e75481b5p-30, -0x1.d91b14a84fb3dp-34, 0x1.f2b69d30ebccap-38,
                    -0x1.ec695a3200714p-43);
}

// (a + 4) times the normal distribution beyond a over exp(-a^2 / 2), of u = (a - 4) / (a + 4) for -1 <= u <= 0.819.
inline __device__ double tail_fit(double x) {
  return polynomial(x, 0x1.82b4bb8c94dcep-1, -0x1.373e3a893c28ap-1, 0x1.8c6dbf2cfc30dp-2,
                    -0x1.7dff2bff6843fp-3, 0x1.eec4cc3e43b01p-5, -0x1.ee2761044ceddp-8,
                    -0x1.c81719c8b4e64p-9, 0x1.ab825fb5450f2p-10, 0x1.17a4a5969fad2p-13,
                    -0x1.e4a422e8fd42dp-13, -0x1.0010834ae33d0p-19, 0x1.26d07b9d04165p-15,
                    0x1.7fd3426c7e947p-21, -0x1.8d4b6e3d14205p-18, -0x1.4fa0385fbd100p-21,
                    0x1.12611a0ae28a5p-20, 0x1.1b93f1db423d7p-22, -0x1.510ba455d6e40p-23,
                    -0x1.4bc1a36b9113cp-24, 0x1.185e3f1e296d3p-26, 0x1.f8e38f19206b6p-27,
                    -0x1.c78e8c23f9a75p-32, -0x1.5272ffd9e7df1p-30);
}

// (log(1 + f) - f + f^2 / 2) / f^3 for 1 + f between the roots of 1/2 and 2.
inline __device__ float log1p_fit(float x) {
  return polynomial(x, 0x1.55554ap-2f, -0x1.000220p-2f, 0x1.99a598p-3f, -0x1.54788cp-3f, 0x1.226e34p-3f,
                    -0x1.0ce05ep-3f, 0x1.07d168p-3f, -0x1.41efa8p-4f);
}

// 2^r for |r| <= 1 / 2.
inline __device__ float half_exp2_fit(float x) {
  return polynomial(x, 0x1.ffffe6p-1f, 0x1.62e0d6p-1f, 0x1.ec06f2p-3f, 0x1.ca17b4p-5f, 0x1.399614p-7f);
}

// (2^r - 1) / r for |r| <= 1 / 2.
inline __device__ float half_expm1_fit(float x) {
  return polynomial(x, 0x1.62e42ep-1f, 0x1.ebfa4ap-3f, 0x1.c6b270p-5f, 0x1.3cbff6p-7f, 0x1.5d87dap-10f);
}

// 1 / d for 1 <= d <= 2.
inline __device__ float half_inverse_fit(float x) {
  return polynomial(x, 0x1.0f83e0p+1f, -0x1.745d18p+0f, 0x1.4afd6ap-2f);
}

// log(1 + f) / f for 1 + f between the roots of 1/2 and 2.
inline __device__ float half_log_fit(float x) {
  return polynomial(x, 0x1.fffffep-1f, -0x1.00007ap-1f, 0x1.5559dcp-2f, -0x1.ff623cp-3f, 0x1.978e30p-3f,
                    -0x1.614c0cp-3f, 0x1.4c3d04p-3f, -0x1.9dfa4ep-4f);
}

// sin(r) / r of z = r^2, for |r| <= pi / 4.
inline __device__ float half_sin_fit(float x) {
  return polynomial(x, 0x1.ffffcep-1f, -0x1.553f08p-3f, 0x1.0b10c8p-7f);
}

// cos(r) of z = r^2, for |r| <= pi / 4.
inline __device__ float half_cos_fit(float x) {
  return polynomial(x, 0x1.000000p+0f, -0x1.ffff9ep-2f, 0x1.553c88p-5f, -0x1.64155ap-10f);
}

// erf(x) / x of z = x^2, for |x| <= 2.7.
inline __device__ float half_erf_fit(float x) {
  return polynomial(x, 0x1.20dd64p+0f, -0x1.812058p-2f, 0x1.cdb736p-4f, -0x1.b4ec16p-6f, 0x1.4a8256p-8f,
                    -0x1.8cb30cp-11f, 0x1.6a45e4p-14f, -0x1.d183eep-18f, 0x1.7078f2p-22f, -0x1.0ab488p-27f);
}

// log2 of the normal distribution beyond t, for t <= 6; errors count less where t times that is a subnormal f16.
inline __device__ float half_tail_fit(float x) {
  return polynomial(x, -0x1.ffffd4p-1f, -0x1.26b206p+0f, -0x1.d5ebbcp-2f, -0x1.b3da54p-5f, 0x1.024aecp-7f,
                    -0x1.55a7c8p-11f, -0x1.ced3fcp-18f, 0x1.ce8a28p-18f, -0x1.e3dbbap-22f);
}

// The same for t <= 13.7 and bf16.
inline __device__ float half_wide_tail_fit(float x) {
  return polynomial(x, -0x1.0001dep+0f, -0x1.26a88ap+0f, -0x1.d5bc8ep-2f, -0x1.ba7902p-5f, 0x1.1ccbfap-7f,
                    -0x1.0d2e16p-10f, 0x1.625980p-14f, -0x1.30353ep-18f, 0x1.302a02p-23f, -0x1.0b8ceap-29f);
}

}  // namespace kcache::math
