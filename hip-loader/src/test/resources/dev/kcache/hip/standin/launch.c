// SPDX-License-Identifier: Apache-2.0
//
// Launches: what the real library checks, in its order; the arguments' way from `extra` or
// `kernelParams` into a block; and the run of a kernel on that block.
#include <stdlib.h>
#include <string.h>

#include "standin.h"

enum { LARGEST_BLOCK = 4096 };

// The last launch, for a test that wants to see what arrived.
static pthread_mutex_t remembering = PTHREAD_MUTEX_INITIALIZER;
static struct {
  bool any;
  char kernel[256];
  uint32_t shape[8];  // grid, block, shared bytes, device
  void *stream;
  size_t size;
  unsigned char arguments[LARGEST_BLOCK];
} last;

void launch_remember(const struct launch *launch, void *stream) {
  const char *name = launch->function->description->name;
  size_t length = strlen(name);
  if (length >= sizeof last.kernel) length = sizeof last.kernel - 1;
  pthread_mutex_lock(&remembering);
  last.any = true;
  memcpy(last.kernel, name, length);
  last.kernel[length] = '\0';
  memcpy(last.shape, launch->grid, sizeof launch->grid);
  memcpy(last.shape + 3, launch->block, sizeof launch->block);
  last.shape[6] = launch->shared_bytes;
  last.shape[7] = (uint32_t)launch->device->ordinal;
  last.stream = stream;
  last.size = launch->size;
  memcpy(last.arguments, launch->arguments, launch->size);
  pthread_mutex_unlock(&remembering);
}

// Copies the last launch out: its kernel's name (256 bytes), grid, block, shared bytes and device (8
// numbers), its stream's handle, and its arguments (4096 bytes). Gives the size of the arguments, or
// -1 if there was no launch.
EXPORT int standin_last_launch(char *kernel, uint32_t *shape, void **stream, void *arguments);
int standin_last_launch(char *kernel, uint32_t *shape, void **stream, void *arguments) {
  pthread_mutex_lock(&remembering);
  int size = last.any ? (int)last.size : -1;
  if (last.any) {
    memcpy(kernel, last.kernel, sizeof last.kernel);
    memcpy(shape, last.shape, sizeof last.shape);
    *stream = last.stream;
    memcpy(arguments, last.arguments, last.size);
  }
  pthread_mutex_unlock(&remembering);
  return size;
}

void launch_reset(void) { last.any = false; }

// ---- running ------------------------------------------------------------------------------------

uint64_t launch_threads(const struct launch *launch) {
  return (uint64_t)launch->grid[0] * launch->block[0];
}

bool launch_argument(struct launch *launch, size_t offset, void *to, size_t size) {
  if (offset + size > launch->size) {
    device_fault(launch->device, hipErrorIllegalAddress);
    return false;
  }
  memcpy(to, launch->arguments + offset, size);
  return true;
}

struct array array_of(struct launch *launch, uint64_t address) {
  return (struct array){.launch = launch, .address = address};
}

void *array_at(struct array *array, int64_t index, size_t element) {
  struct device *device = array->launch->device;
  uint64_t address = array->address + (uint64_t)index * element;
  uint64_t offset = address - array->range.address;
  if (offset >= array->range.size || element > array->range.size - offset) {
    const struct range *range = memory_range(device, address);
    bool inside = range != NULL && element <= range->size - (address - range->address);
    if (!inside) {
      struct device *owner = memory_device(address);
      if (owner != NULL && owner != device) count(WRONG_DEVICE, 1);
      device_fault_at(device, address);
      return NULL;
    }
    array->range = *range;
    offset = address - range->address;
  }
  return array->range.host + offset;
}

static void run(struct operation *operation) {
  struct launch *launch = (struct launch *)operation;
  kernel_body body = launch->function->body;
  if (body == NULL || atomic_load(&launch->device->fault) != hipSuccess) return;
  pthread_mutex_lock(&launch->device->lock);
  body(launch);
  pthread_mutex_unlock(&launch->device->lock);
}

static void drop(struct operation *operation) {
  struct launch *launch = (struct launch *)operation;
  module_in_flight(launch->function->module, -1);
  object_release(launch->function);
  free(launch);
}

// ---- checking -----------------------------------------------------------------------------------

static bool has_zero(const uint32_t *dimensions) {
  return dimensions[0] == 0 || dimensions[1] == 0 || dimensions[2] == 0;
}

#ifdef STAND_IN_CUDA
static int check_shape(const struct function *function, const uint32_t *grid, const uint32_t *block,
                       uint32_t shared) {
  uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
  bool possible = !has_zero(grid) && !has_zero(block) && grid[0] <= INT32_MAX &&
                  grid[1] <= UINT16_MAX && grid[2] <= UINT16_MAX && block[2] <= 64 &&
                  threads <= MAX_BLOCK_THREADS && shared <= dynamic_bytes(function);
  if (!possible) return hipErrorInvalidValue;
  return threads > function->description->max_threads ? hipErrorLaunchOutOfResources : hipSuccess;
}
#else
// 5 is as measured, 7 as its sources say, and 6 as those of its time do.
static int check_shape(const struct function *function, const uint32_t *grid, const uint32_t *block,
                       uint32_t shared) {
  uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
  const int invalid = hipErrorInvalidValue, configuration = hipErrorInvalidConfiguration;
  if (has_zero(grid)) return STAND_IN_MAJOR == 7 ? configuration : invalid;
  if (has_zero(block)) return STAND_IN_MAJOR == 5 ? invalid : configuration;
  for (int i = 0; i < 3; i++) {
    if ((uint64_t)grid[i] * block[i] > UINT32_MAX) return configuration;
  }
  if (STAND_IN_MAJOR == 5) {
    if (threads > MAX_BLOCK_THREADS) return configuration;
    if (shared > LDS_BYTES - function->shared_bytes) return hipErrorOutOfMemory;
  } else {
    if (shared > LDS_BYTES - function->shared_bytes) return invalid;
    if (threads > MAX_BLOCK_THREADS) return STAND_IN_MAJOR == 6 ? invalid : configuration;
  }
  return threads > function->description->max_threads ? hipErrorLaunchFailure : hipSuccess;
}
#endif

static uint64_t number_of(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

// Gives the block of `extra`, which must be these five entries in this order.
static int open_extra(const struct description *kernel, void **extra, const void **block,
                      size_t *size) {
  bool ordered = number_of(extra[0]) == HIP_LAUNCH_PARAM_BUFFER_POINTER &&
                 number_of(extra[2]) == HIP_LAUNCH_PARAM_BUFFER_SIZE &&
                 number_of(extra[4]) == HIP_LAUNCH_PARAM_END;
  if (!ordered || extra[3] == NULL) return hipErrorInvalidValue;
  *block = extra[1];
  *size = *(const size_t *)extra[3];
  if (*block == NULL && *size > 0) return hipErrorInvalidValue;
  bool right = kernel->parameter_count == 0 ? *size == 0 : *size >= kernel->explicit_bytes;
  return right && *size <= LARGEST_BLOCK ? hipSuccess : hipErrorLaunchOutOfResources;
}

static struct launch *launch_new(struct function *function, const void *block, size_t size) {
  struct launch *launch = malloc(sizeof *launch + size);
  if (launch == NULL) abort();
  memset(launch, 0, sizeof *launch);
  launch->operation = (struct operation){.run = run, .drop = drop};
  launch->function = function;
  launch->device = device_at(function->object.device);
  launch->size = size;
  if (block != NULL) memcpy(launch->arguments, block, size);
  return launch;
}

static struct launch *launch_of_parameters(struct function *function, void **parameters) {
  const struct description *kernel = function->description;
  struct launch *launch = launch_new(function, NULL, kernel->explicit_bytes);
  memset(launch->arguments, 0, launch->size);
  for (uint32_t i = 0; i < kernel->parameter_count; i++) {
    struct parameter parameter = kernel->parameters[i];
    memcpy(launch->arguments + parameter.offset, parameters[i], parameter.size);
  }
  return launch;
}

// Makes a launch with its arguments; NULL with the error.
static struct launch *prepare(struct function *function, void **parameters, void **extra,
                              int *error) {
  const void *block = NULL;
  size_t size = 0;
  *error = hipSuccess;
  if (parameters != NULL && extra != NULL) *error = hipErrorInvalidValue;
  bool wanted = function->description->parameter_count > 0;
  if (wanted && parameters == NULL && extra == NULL) *error = hipErrorInvalidValue;
  if (*error == hipSuccess && extra != NULL) {
    *error = open_extra(function->description, extra, &block, &size);
  }
  if (*error != hipSuccess) return NULL;
  if (extra == NULL && wanted) return launch_of_parameters(function, parameters);
  return launch_new(function, block, size);
}

// The launch owns the function's reference from here on.
static void start(struct launch *launch, struct stream *stream, void *stream_handle) {
  image_check_quickly(module_image(launch->function->module));
  module_in_flight(launch->function->module, 1);
  count(LAUNCHES, 1);
  launch_remember(launch, stream_handle);
  stream_submit(stream, &launch->operation);
}

API(hipModuleLaunchKernel,
    (void *handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
     unsigned block_y, unsigned block_z, unsigned shared, void *stream_handle, void **parameters,
     void **extra),
    (handle, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream_handle, parameters,
     extra)) {
  if (handle == NULL) return hipErrorInvalidImage;
  int error;
  struct function *function = handle_get(FUNCTION, handle, &error);
  if (function == NULL) return error;
  const uint32_t grid[] = {grid_x, grid_y, grid_z};
  const uint32_t block[] = {block_x, block_y, block_z};
  struct launch *launch = NULL;
  struct stream *stream = stream_get(stream_handle, &error);
  if (error == hipSuccess) error = check_shape(function, grid, block, shared);
  if (error == hipSuccess) launch = prepare(function, parameters, extra, &error);
  if (launch == NULL) {
    object_release(function);
  } else {
    memcpy(launch->grid, grid, sizeof grid);
    memcpy(launch->block, block, sizeof block);
    launch->shared_bytes = shared;
    start(launch, stream, stream_handle);
  }
  if (stream != NULL) object_release(stream);
  return error;
}
