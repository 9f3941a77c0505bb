// SPDX-License-Identifier: Apache-2.0
//
// What GpuBenchmark compares kcache with: a C program that makes the same calls of CUDA's driver API.
// It takes one measurement, prints "started" as soon as it runs, then a number on each line: medians,
// in seconds. It needs nothing of CUDA but the driver's library.
//
//   cc -O2 -o gpu gpu.c -ldl
//   ./gpu LIBRARY launch|launch4|launch4-block BURST RUNS IMAGE   time, then CPU time, of one launch
//   ./gpu LIBRARY to-pinned|from-pinned BYTES RUNS                a copy to or from the device, of memory
//   ./gpu LIBRARY to-pageable|from-pageable BYTES RUNS            ... that is pinned, or malloc's
//   ./gpu LIBRARY within BYTES RUNS                               a copy from the device to itself
//   ./gpu LIBRARY first 1 1 IMAGE                                 library, context, file, load, launch
//
// LIBRARY is libcuda.so.1, by whatever path. IMAGE has the kernels empty() and empty4(pointer, pointer,
// pointer, int). Runs are preceded by some that don't count.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef unsigned long long device_pointer;

// Functions of cuda.h: https://docs.nvidia.com/cuda/cuda-driver-api. Handles are pointers there.
#define FUNCTIONS(F)                                                                             \
  F(cuInit, (unsigned flags))                                                                    \
  F(cuDeviceGet, (int *device, int ordinal))                                                     \
  F(cuDevicePrimaryCtxRetain, (void **context, int device))                                      \
  F(cuCtxSetCurrent, (void *context))                                                            \
  F(cuStreamCreate, (void **stream, unsigned flags))                                             \
  F(cuStreamSynchronize, (void *stream))                                                         \
  F(cuModuleLoadData, (void **module, const void *image))                                        \
  F(cuModuleGetFunction, (void **function, void *module, const char *name))                      \
  F(cuLaunchKernel, (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,          \
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,      \
                     void *stream, void **parameters, void **extra))                             \
  F(cuMemAlloc_v2, (device_pointer *pointer, size_t bytes))                                      \
  F(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags))                              \
  F(cuMemsetD32_v2, (device_pointer to, unsigned value, size_t count))                           \
  F(cuMemcpyHtoD_v2, (device_pointer to, const void *from, size_t bytes))                        \
  F(cuMemcpyDtoH_v2, (void *to, device_pointer from, size_t bytes))                              \
  F(cuMemcpyDtoDAsync_v2, (device_pointer to, device_pointer from, size_t bytes, void *stream))  \
  F(cuEventCreate, (void **event, unsigned flags))                                               \
  F(cuEventRecord, (void *event, void *stream))                                                  \
  F(cuEventSynchronize, (void *event))                                                           \
  F(cuEventElapsedTime, (float *milliseconds, void *begin, void *end))

#define DEFINE(name, parameters) static int(*name) parameters;
FUNCTIONS(DEFINE)

enum { STREAM_NON_BLOCKING = 1 };
enum { LAUNCH_PARAM_END = 0, LAUNCH_PARAM_BUFFER_POINTER = 1, LAUNCH_PARAM_BUFFER_SIZE = 2 };
enum { WARM_UPS = 3, THREADS = 64 };

static void *stream;

static void fail(const char *what, const char *why) {
  fprintf(stderr, "gpu: %s: %s\n", what, why);
  exit(1);
}

static void check(int status, const char *call) {
  char number[32];
  if (status == 0) return;
  snprintf(number, sizeof number, "error %d", status);
  fail(call, number);
}

#define CHECK(call) check(call, #call)

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, count, sizeof *values, compare);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

// ---- stages -------------------------------------------------------------------------------------

static void open_library(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  if (library == NULL) fail("dlopen", dlerror());
#define FIND(name, parameters)                    \
  *(void **)&name = dlsym(library, #name);        \
  if (name == NULL) fail("dlsym", "no " #name);
  FUNCTIONS(FIND)
  CHECK(cuInit(0));
}

static void open_context(void) {
  int device;
  void *context;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuStreamCreate(&stream, STREAM_NON_BLOCKING));
}

// The driver wants a zero after an image that is text.
static char *read_image(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail(path, "cannot be read");
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *image = calloc(1, size + 1);
  if (image == NULL || fread(image, 1, size, file) != (size_t)size) fail(path, "cannot be read");
  fclose(file);
  return image;
}

static void *load(const char *image, const char *kernel) {
  void *module, *function;
  CHECK(cuModuleLoadData(&module, image));
  CHECK(cuModuleGetFunction(&function, module, kernel));
  return function;
}

static void launch(void *function, void **parameters, void **extra) {
  CHECK(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, stream, parameters, extra));
}

static device_pointer allocate(size_t bytes) {
  device_pointer pointer;
  CHECK(cuMemAlloc_v2(&pointer, bytes));
  CHECK(cuMemsetD32_v2(pointer, 0x3f803f80, bytes / 4));
  return pointer;
}

// ---- measurements -------------------------------------------------------------------------------

static void bursts(void *function, void **parameters, void **extra, int burst, int runs) {
  double *times = malloc(runs * sizeof *times), *cpu_times = malloc(runs * sizeof *cpu_times);
  for (int run = -WARM_UPS; run < runs; run++) {
    CHECK(cuStreamSynchronize(stream));
    double cpu_begin = seconds(CLOCK_THREAD_CPUTIME_ID), begin = seconds(CLOCK_MONOTONIC);
    for (int i = 0; i < burst; i++) launch(function, parameters, extra);
    double end = seconds(CLOCK_MONOTONIC), cpu_end = seconds(CLOCK_THREAD_CPUTIME_ID);
    if (run < 0) continue;
    times[run] = (end - begin) / burst;
    cpu_times[run] = (cpu_end - cpu_begin) / burst;
  }
  CHECK(cuStreamSynchronize(stream));
  printf("%.9e\n%.9e\n", median(times, runs), median(cpu_times, runs));
}

static void measure_launches(const char *what, const char *image_path, int burst, int runs) {
  char *image = read_image(image_path);
  if (!strcmp(what, "launch")) {
    bursts(load(image, "empty"), NULL, NULL, burst, runs);
    return;
  }
  struct {
    device_pointer a, b, out;
    int n;
  } block = {allocate(64), allocate(64), allocate(64), 0};
  size_t size = sizeof(device_pointer[3]) + sizeof(int);
  void *parameters[] = {&block.a, &block.b, &block.out, &block.n};
  void *extra[] = {(void *)LAUNCH_PARAM_BUFFER_POINTER, &block, (void *)LAUNCH_PARAM_BUFFER_SIZE,
                   &size, (void *)LAUNCH_PARAM_END};
  int whole = !strcmp(what, "launch4-block");
  bursts(load(image, "empty4"), whole ? NULL : parameters, whole ? extra : NULL, burst, runs);
}

// A copy to the device may be on its way when the driver is done with the host's memory.
static void copy(int to_device, device_pointer device, void *host, size_t bytes) {
  if (to_device) {
    CHECK(cuMemcpyHtoD_v2(device, host, bytes));
    CHECK(cuStreamSynchronize(NULL));
  } else {
    CHECK(cuMemcpyDtoH_v2(host, device, bytes));
  }
}

static void measure_copy(int to_device, int pinned, size_t bytes, int runs) {
  double *times = malloc(runs * sizeof *times);
  device_pointer device = allocate(bytes);
  void *host = NULL;
  if (pinned) {
    CHECK(cuMemHostAlloc(&host, bytes, 0));
  } else {
    host = malloc(bytes);
  }
  if (host == NULL) fail("malloc", "no memory");
  memset(host, 1, bytes);
  for (int run = -WARM_UPS; run < runs; run++) {
    double begin = seconds(CLOCK_MONOTONIC);
    copy(to_device, device, host, bytes);
    double end = seconds(CLOCK_MONOTONIC);
    if (run >= 0) times[run] = end - begin;
  }
  printf("%.9e\n", median(times, runs));
}

// A copy goes before, so that the device does not wait for the host between the events.
static void measure_within(size_t bytes, int runs) {
  double *times = malloc(runs * sizeof *times);
  device_pointer from = allocate(bytes), to = allocate(bytes);
  void *begin, *end;
  CHECK(cuEventCreate(&begin, 0));
  CHECK(cuEventCreate(&end, 0));
  for (int run = -WARM_UPS; run < runs; run++) {
    float milliseconds;
    CHECK(cuMemcpyDtoDAsync_v2(to, from, bytes, stream));
    CHECK(cuEventRecord(begin, stream));
    CHECK(cuMemcpyDtoDAsync_v2(to, from, bytes, stream));
    CHECK(cuEventRecord(end, stream));
    CHECK(cuEventSynchronize(end));
    CHECK(cuEventElapsedTime(&milliseconds, begin, end));
    if (run >= 0) times[run] = milliseconds / 1e3;
  }
  printf("%.9e\n", median(times, runs));
}

static void measure_first(const char *library, const char *image_path) {
  double begin = seconds(CLOCK_MONOTONIC);
  open_library(library);
  double opened = seconds(CLOCK_MONOTONIC);
  open_context();
  double entered = seconds(CLOCK_MONOTONIC);
  char *image = read_image(image_path);
  double read = seconds(CLOCK_MONOTONIC);
  void *function = load(image, "empty");
  double loaded = seconds(CLOCK_MONOTONIC);
  launch(function, NULL, NULL);
  CHECK(cuStreamSynchronize(stream));
  double done = seconds(CLOCK_MONOTONIC);
  printf("%.9e\n%.9e\n%.9e\n%.9e\n%.9e\n", opened - begin, entered - opened, read - entered,
         loaded - read, done - loaded);
}

int main(int argc, char **argv) {
  puts("started");
  fflush(stdout);
  if (argc < 5) fail("usage", "gpu LIBRARY MEASUREMENT SIZE RUNS [IMAGE]; see its source");
  const char *library = argv[1], *what = argv[2], *image = argc > 5 ? argv[5] : "";
  long size = atol(argv[3]);
  int runs = atoi(argv[4]);
  if (size < 1 || runs < 1) fail("usage", "SIZE and RUNS must be positive");
  if (!strcmp(what, "first")) {
    measure_first(library, image);
    return 0;
  }
  open_library(library);
  open_context();
  if (!strncmp(what, "launch", strlen("launch"))) {
    measure_launches(what, image, (int)size, runs);
  } else if (!strcmp(what, "within")) {
    measure_within(size, runs);
  } else if (!strncmp(what, "to-", 3) || !strncmp(what, "from-", 5)) {
    measure_copy(what[0] == 't', strstr(what, "-pinned") != NULL, size, runs);
  } else {
    fail(what, "no such measurement");
  }
  return 0;
}
