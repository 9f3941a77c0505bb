// SPDX-License-Identifier: Apache-2.0
//
// The shipped kernels of the binary family, after their description:
//
//   binary_<op>_<type>          (int64_t count, const T* left, const T* right, T* out)
//   binary_<op>_<type>_strided  (StridedPair operands, const T* left, const T* right, T* out)
//
// Any launch computes all elements.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "standin.h"

enum op { ADD, SUB, MUL, DIV, MINIMUM, MAXIMUM, OPS };

static const char *const op_names[] = {"add", "sub", "mul", "div", "minimum", "maximum"};

enum { MAX_RANK = 8 };

struct strided_pair {
  int64_t count;
  int64_t rank;
  int64_t extents[MAX_RANK];
  uint32_t multipliers[MAX_RANK];
  uint32_t shifts[MAX_RANK];
  int64_t left_strides[MAX_RANK];
  int64_t right_strides[MAX_RANK];
};

// ---- floats -------------------------------------------------------------------------------------

#define FLOAT_OPERATION(name, T)                                              \
  static T name(enum op op, T a, T b) {                                       \
    bool a_first = a < b || (a == b && signbit(a));                           \
    bool ordered = !isnan(a) && !isnan(b);                                    \
    switch (op) {                                                             \
      case ADD:                                                               \
        return a + b;                                                         \
      case SUB:                                                               \
        return a - b;                                                         \
      case MUL:                                                               \
        return a * b;                                                         \
      case DIV:                                                               \
        return a / b;                                                         \
      case MINIMUM:                                                           \
        return !ordered ? (T)NAN : a_first ? a : b;                           \
      default:                                                                \
        return !ordered ? (T)NAN : a_first ? b : a;                           \
    }                                                                         \
  }

FLOAT_OPERATION(on_float, float)
FLOAT_OPERATION(on_double, double)

static void apply_f64(enum op op, const void *a, const void *b, void *out) {
  *(double *)out = on_double(op, *(const double *)a, *(const double *)b);
}

static void apply_f32(enum op op, const void *a, const void *b, void *out) {
  *(float *)out = on_float(op, *(const float *)a, *(const float *)b);
}

// A half has 10 bits of fraction, a least exponent of -14, and subnormals in steps of 2^-24.
static float half_value(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float magnitude;
  if (exponent == 31) {
    magnitude = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    magnitude = ldexpf(fraction, -24);
  } else {
    magnitude = ldexpf(1024 + fraction, exponent - 25);
  }
  return copysignf(magnitude, bits & 0x8000 ? -1 : 1);
}

static uint16_t half_bits(float value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  float magnitude = fabsf(value);
  if (isnan(value)) return sign | 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;  // half-way from the greatest to the next
  int exponent = magnitude < 0x1p-14f ? -14 : ilogbf(magnitude);
  int steps = (int)rintf(ldexpf(magnitude, 10 - exponent));  // to nearest, ties to even
  return sign | (uint16_t)(((exponent + 14) << 10) + steps);
}

static void apply_f16(enum op op, const void *a, const void *b, void *out) {
  float left = half_value(*(const uint16_t *)a), right = half_value(*(const uint16_t *)b);
  *(uint16_t *)out = half_bits(on_float(op, left, right));
}

static float bfloat_value(uint16_t bits) {
  uint32_t whole = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &whole, sizeof value);
  return value;
}

static uint16_t bfloat_bits(float value) {
  uint32_t whole;
  memcpy(&whole, &value, sizeof whole);
  uint16_t upper = (uint16_t)(whole >> 16);
  uint32_t rest = whole & 0xffff;
  if (isnan(value)) return upper | 0x40;
  bool up = rest > 0x8000 || (rest == 0x8000 && (upper & 1) != 0);
  return up ? upper + 1 : upper;
}

static void apply_bf16(enum op op, const void *a, const void *b, void *out) {
  float left = bfloat_value(*(const uint16_t *)a), right = bfloat_value(*(const uint16_t *)b);
  *(uint16_t *)out = bfloat_bits(on_float(op, left, right));
}

// ---- integers -----------------------------------------------------------------------------------

// W is the unsigned type in which the sum, the difference and the product wrap.
#define INTEGER_OPERATION(name, T, W, is_signed)                                     \
  static void name(enum op op, const void *left, const void *right, void *out) {     \
    T a = *(const T *)left, b = *(const T *)right, *to = out;                        \
    switch (op) {                                                                    \
      case ADD:                                                                      \
        *to = (T)((W)a + (W)b);                                                      \
        break;                                                                       \
      case SUB:                                                                      \
        *to = (T)((W)a - (W)b);                                                      \
        break;                                                                       \
      case MUL:                                                                      \
        *to = (T)((W)a * (W)b);                                                      \
        break;                                                                       \
      case DIV:                                                                      \
        *to = b == 0 ? 0 : is_signed && b == (T)-1 ? (T)(0 - (W)a) : (T)(a / b);     \
        break;                                                                       \
      case MINIMUM:                                                                  \
        *to = a < b ? a : b;                                                         \
        break;                                                                       \
      default:                                                                       \
        *to = a < b ? b : a;                                                         \
    }                                                                                \
  }

INTEGER_OPERATION(apply_u8, uint8_t, uint32_t, false)
INTEGER_OPERATION(apply_u32, uint32_t, uint32_t, false)
INTEGER_OPERATION(apply_i32, int32_t, uint32_t, true)
INTEGER_OPERATION(apply_i64, int64_t, uint64_t, true)

// ---- the family ---------------------------------------------------------------------------------

struct scalar {
  const char *name;
  size_t size;
  void (*apply)(enum op op, const void *a, const void *b, void *out);
};

static const struct scalar scalars[] = {
    {"f32", 4, apply_f32},   {"f64", 8, apply_f64}, {"f16", 2, apply_f16}, {"bf16", 2, apply_bf16},
    {"u8", 1, apply_u8},     {"u32", 4, apply_u32}, {"i32", 4, apply_i32}, {"i64", 8, apply_i64},
};

// Takes a kernel's name apart; gives NULL if it is none of the family's.
static const struct scalar *parse(const char *name, enum op *op, bool *strided) {
  char op_name[16], type[16], layout[16] = "";
  int parts = sscanf(name, "binary_%15[a-z]_%15[a-z0-9]_%15s", op_name, type, layout);
  *strided = strcmp(layout, "strided") == 0;
  if (parts < 2 || (parts == 3 && !*strided)) return NULL;
  for (*op = ADD; *op < OPS && strcmp(op_names[*op], op_name) != 0;) ++*op;
  if (*op == OPS) return NULL;
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
    if (strcmp(scalars[i].name, type) == 0) return &scalars[i];
  }
  return NULL;
}

struct operands {
  struct array left;
  struct array right;
  struct array out;
};

// The three addresses lie one after the other.
static bool open_operands(struct launch *launch, size_t offset, struct operands *operands) {
  uint64_t addresses[3];
  if (!launch_argument(launch, offset, addresses, sizeof addresses)) return false;
  operands->left = array_of(launch, addresses[0]);
  operands->right = array_of(launch, addresses[1]);
  operands->out = array_of(launch, addresses[2]);
  return true;
}

static bool compute(const struct scalar *scalar, enum op op, struct operands *operands, int64_t left,
                    int64_t right, int64_t out) {
  const void *a = array_at(&operands->left, left, scalar->size);
  const void *b = array_at(&operands->right, right, scalar->size);
  void *to = array_at(&operands->out, out, scalar->size);
  if (a == NULL || b == NULL || to == NULL) return false;
  scalar->apply(op, a, b, to);
  return true;
}

static void contiguous(struct launch *launch, const struct scalar *scalar, enum op op) {
  int64_t count;
  struct operands operands;
  if (!launch_argument(launch, 0, &count, 8) || !open_operands(launch, 8, &operands)) return;
  for (int64_t i = 0; i < count; i++) {
    if (!compute(scalar, op, &operands, i, i, i)) return;
  }
}

static void strided(struct launch *launch, const struct scalar *scalar, enum op op) {
  struct strided_pair pair;
  struct operands operands;
  if (!launch_argument(launch, 0, &pair, sizeof pair)) return;
  if (!open_operands(launch, sizeof pair, &operands)) return;
  if (pair.rank < 0 || pair.rank > MAX_RANK) {
    device_fault(launch->device, hipErrorIllegalAddress);
    return;
  }
  for (int64_t i = 0; i < pair.count; i++) {
    int64_t left = 0, right = 0, rest = i;
    for (int64_t d = pair.rank - 1; d >= 0; d--) {
      if (pair.extents[d] <= 0) return;
      int64_t coordinate = rest % pair.extents[d];
      rest /= pair.extents[d];
      left += coordinate * pair.left_strides[d];
      right += coordinate * pair.right_strides[d];
    }
    if (!compute(scalar, op, &operands, left, right, i)) return;
  }
}

static void run_binary(struct launch *launch) {
  enum op op;
  bool is_strided;
  const struct scalar *scalar = parse(launch->function->description->name, &op, &is_strided);
  (is_strided ? strided : contiguous)(launch, scalar, op);
}

kernel_body binary_named(const char *name) {
  enum op op;
  bool is_strided;
  return parse(name, &op, &is_strided) == NULL ? NULL : run_binary;
}
