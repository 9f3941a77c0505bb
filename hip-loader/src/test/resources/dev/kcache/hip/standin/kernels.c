// SPDX-License-Identifier: Apache-2.0
//
// Kernels that the stand-in knows by name. Their arguments are taken from where the C ABI puts those
// of the signature, never from the metadata: arguments laid out wrongly give a wrong result. Only
// the threads of the launched grid compute: a wrong grid gives a wrong result too.
#include <string.h>

#include "standin.h"

static int64_t smaller(int64_t a, uint64_t b) { return a < (int64_t)b ? a : (int64_t)b; }

// vadd(const float* a, const float* b, float* out, int n): one thread an element
static void vadd(struct launch *launch) {
  uint64_t a, b, out;
  int32_t n;
  if (!launch_argument(launch, 0, &a, 8) || !launch_argument(launch, 8, &b, 8)) return;
  if (!launch_argument(launch, 16, &out, 8) || !launch_argument(launch, 24, &n, 4)) return;
  struct array left = array_of(launch, a), right = array_of(launch, b), sum = array_of(launch, out);
  for (int64_t i = 0; i < smaller(n, launch_threads(launch)); i++) {
    const float *x = array_at(&left, i, 4), *y = array_at(&right, i, 4);
    float *to = array_at(&sum, i, 4);
    if (x == NULL || y == NULL || to == NULL) return;
    *to = *x + *y;
  }
}

// saxpy(int n, float a, const float* x, float* y): y = a * x + y, one thread an element
static void saxpy(struct launch *launch) {
  int32_t n;
  float a;
  uint64_t x, y;
  if (!launch_argument(launch, 0, &n, 4) || !launch_argument(launch, 4, &a, 4)) return;
  if (!launch_argument(launch, 8, &x, 8) || !launch_argument(launch, 16, &y, 8)) return;
  struct array from = array_of(launch, x), to = array_of(launch, y);
  for (int64_t i = 0; i < smaller(n, launch_threads(launch)); i++) {
    const float *factor = array_at(&from, i, 4);
    float *sum = array_at(&to, i, 4);
    if (factor == NULL || sum == NULL) return;
    *sum = a * *factor + *sum;
  }
}

// scale(float* x, double by, long n): x = x * by, one thread an element
static void scale(struct launch *launch) {
  uint64_t x;
  double by;
  int64_t n;
  if (!launch_argument(launch, 0, &x, 8) || !launch_argument(launch, 8, &by, 8)) return;
  if (!launch_argument(launch, 16, &n, 8)) return;
  struct array array = array_of(launch, x);
  for (int64_t i = 0; i < smaller(n, launch_threads(launch)); i++) {
    float *element = array_at(&array, i, 4);
    if (element == NULL) return;
    *element = (float)(*element * by);
  }
}

// matmul(const float* a, const float* b, float* c, int rows, int columns, int depth): c = a * b. Block
// (x, y) has 256 columns of row y, as examples/matmul says, however many threads it has.
static void matmul(struct launch *launch) {
  uint64_t matrices[3];
  int32_t sizes[3];
  if (!launch_argument(launch, 0, matrices, sizeof matrices)) return;
  if (!launch_argument(launch, 24, sizes, sizeof sizes)) return;
  struct array a = array_of(launch, matrices[0]), b = array_of(launch, matrices[1]);
  struct array c = array_of(launch, matrices[2]);
  int64_t columns = sizes[1], depth = sizes[2];
  for (int64_t row = 0; row < smaller(sizes[0], launch->grid[1]); row++) {
    for (int64_t column = 0; column < smaller(columns, (uint64_t)launch->grid[0] * 256); column++) {
      if (column % 256 >= launch->block[0]) continue;
      float sum = 0;
      for (int64_t i = 0; i < depth; i++) {
        const float *x = array_at(&a, row * depth + i, 4);
        const float *y = array_at(&b, i * columns + column, 4);
        if (x == NULL || y == NULL) return;
        sum += *x * *y;
      }
      float *to = array_at(&c, row * columns + column, 4);
      if (to == NULL) return;
      *to = sum;
    }
  }
}

static void store(struct launch *launch, uint64_t address, const double *values, int count) {
  struct array out = array_of(launch, address);
  for (int i = 0; i < count; i++) {
    double *to = array_at(&out, i, sizeof *to);
    if (to == NULL) return;
    *to = values[i];
  }
}

// mixed(signed char a, short b, int c, long d, float e, double f, double* out): the six values
static void mixed(struct launch *launch) {
  struct {
    signed char a;
    short b;
    int c;
    long d;
    float e;
    double f;
    uint64_t out;
  } p;
  if (!launch_argument(launch, 0, &p, sizeof p)) return;
  store(launch, p.out, (double[]){p.a, p.b, p.c, (double)p.d, p.e, p.f}, 6);
}

// pair(struct { float a; double b; } value, short c, double* out): the three values
static void pair(struct launch *launch) {
  struct {
    struct {
      float a;
      double b;
    } value;
    short c;
    uint64_t out;
  } p;
  if (!launch_argument(launch, 0, &p, sizeof p)) return;
  store(launch, p.out, (double[]){p.value.a, p.value.b, p.c}, 3);
}

// shape(double* out): the grid's and the block's dimensions
static void shape(struct launch *launch) {
  uint64_t out;
  if (!launch_argument(launch, 0, &out, 8)) return;
  const uint32_t *g = launch->grid, *b = launch->block;
  store(launch, out, (double[]){g[0], g[1], g[2], b[0], b[1], b[2]}, 6);
}

// times<float, 3>(float* x, long n) and times<int, 5>(int* x, long n): one thread an element
static void times_float_3(struct launch *launch) {
  uint64_t x;
  int64_t n;
  if (!launch_argument(launch, 0, &x, 8) || !launch_argument(launch, 8, &n, 8)) return;
  struct array array = array_of(launch, x);
  for (int64_t i = 0; i < smaller(n, launch_threads(launch)); i++) {
    float *element = array_at(&array, i, 4);
    if (element == NULL) return;
    *element *= 3;
  }
}

static void times_int_5(struct launch *launch) {
  uint64_t x;
  int64_t n;
  if (!launch_argument(launch, 0, &x, 8) || !launch_argument(launch, 8, &n, 8)) return;
  struct array array = array_of(launch, x);
  for (int64_t i = 0; i < smaller(n, launch_threads(launch)); i++) {
    int32_t *element = array_at(&array, i, 4);
    if (element == NULL) return;
    *element *= 5;
  }
}

// fault(...): touches memory that isn't there
static void fault(struct launch *launch) {
  uint64_t address = 0;
  memcpy(&address, launch->arguments, launch->size < sizeof address ? launch->size : sizeof address);
  device_fault_at(launch->device, address);
}

static const struct {
  const char *name;
  kernel_body body;
} kernels[] = {
    {"vadd", vadd},   {"saxpy", saxpy}, {"scale", scale},   {"mixed", mixed},
    {"pair", pair},   {"shape", shape}, {"matmul", matmul}, {"fault", fault},
    {"_Z5timesIfLi3EEvPT_x", times_float_3},
    {"_Z5timesIiLi5EEvPT_x", times_int_5},
};

kernel_body kernel_named(const char *name) {
  kernel_body hosted = hosted_named(name);
  if (hosted != NULL) return hosted;
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    if (strcmp(kernels[i].name, name) == 0) return kernels[i].body;
  }
  return binary_named(name);
}
