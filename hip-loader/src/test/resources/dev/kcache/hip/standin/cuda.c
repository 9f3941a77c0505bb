// SPDX-License-Identifier: Apache-2.0
//
// What CUDA's driver has otherwise than HIP: contexts instead of a current device, errors' texts,
// attributes by other numbers, options of a load, shared memory that has to be asked for.
#include "cuda.h"

#include <stdio.h>
#include <string.h>

#include "standin.h"

// A handle is a number that nobody can read at: the mark, the device, and which of its contexts.
#define MARK 0x5c00000000000000u

enum context_kind { PRIMARY = 1, FOREIGN = 2 };

int hipInit(unsigned flags);
int hipDriverGetVersion(int *version);
int hipDeviceGetAttribute(int *value, int number, int ordinal);
int hipDeviceGetUuid(hipUUID *uuid, int ordinal);
int hipDeviceEnablePeerAccess(int peer, unsigned flags);
int hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                       void *stream);
int hipModuleLoadData(void **handle, const void *image);
const char *hipGetErrorName(int error);
const char *hipGetErrorString(int error);
int hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function, size_t shared,
                                            int limit);
int hipModuleLaunchKernel(void *handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                          void *stream, void **parameters, void **extra);

static atomic_bool initialised;
static atomic_bool retained[MAX_DEVICES];

static atomic_int epoch;
static _Thread_local int this_epoch;
static _Thread_local void *context;
static _Thread_local unsigned changes;

static void *context_of(int device, enum context_kind kind) {
  return (void *)(uintptr_t)(MARK | (uint64_t)device << 8 | kind);
}

static void *this_context(void) { return this_epoch == atomic_load(&epoch) ? context : NULL; }

static void set_this_context(void *to) {
  context = to;
  this_epoch = atomic_load(&epoch);
}

static bool is_context(void *handle) { return ((uintptr_t)handle & MARK) == MARK; }

static int device_of(void *handle) { return (int)((uintptr_t)handle >> 8 & 0xff); }

void contexts_reset(void) { atomic_fetch_add(&epoch, 1); }

int enter(void) { return atomic_load(&initialised) ? hipSuccess : hipErrorNotInitialized; }

int enter_context(void) {
  int error = enter();
  if (error != hipSuccess) return error;
  void *here = this_context();
  int device = device_of(here);
  if (here == NULL || here != context_of(device, PRIMARY)) {
    count(WRONG_DEVICE, 1);
    return hipErrorInvalidContext;
  }
  set_this_ordinal(device);
  return hipSuccess;
}

// A stream has its context, and a launch there needs no other (seen with driver 580.159.04). Drivers
// for which that is not so refuse the launch.
static int enter_stream(void *handle) {
  if (handle == NULL) return enter_context();
  int error = enter();
  if (error != hipSuccess) return error;
  struct stream *stream = handle_get_anywhere(STREAM, handle, &error);
  if (stream == NULL) return error;
  int device = stream_device(stream)->ordinal;
  object_release(stream);
  if (atomic_load(&modes.contextual) && this_context() != context_of(device, PRIMARY)) {
    return this_context() == NULL ? hipErrorInvalidContext : hipErrorInvalidHandle;
  }
  set_this_ordinal(device);
  return hipSuccess;
}

// Another device's primary context, a context of somebody's own, none: one after the other.
int leave(int error) {
  if (atomic_load(&modes.interfere) && device_count() > 0) {
    int next = (device_of(this_context()) + 1) % device_count();
    switch (changes++ % 3) {
      case 0: set_this_context(context_of(next, PRIMARY)); break;
      case 1: set_this_context(context_of(next, FOREIGN)); break;
      default: set_this_context(NULL);
    }
  }
  return error;
}

EXPORT int cuInit(unsigned flags);
int cuInit(unsigned flags) {
  int error = hipInit(flags);
  if (error == hipSuccess) atomic_store(&initialised, true);
  return error;
}

EXPORT int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version) {
  int error = hipDriverGetVersion(version);
  if (error == hipSuccess) *version = 13000;
  return error;
}

// ---- contexts -----------------------------------------------------------------------------------

API(hipDevicePrimaryCtxRetain, (void **handle, int device), (handle, device)) {
  if (handle == NULL) return hipErrorInvalidValue;
  if (device_at(device) == NULL) return hipErrorInvalidDevice;
  atomic_store(&retained[device], true);
  *handle = context_of(device, PRIMARY);
  return hipSuccess;
}

EXPORT int cuDevicePrimaryCtxRetain(void **handle, int device);
int cuDevicePrimaryCtxRetain(void **handle, int device) {
  int error = enter();
  return error != hipSuccess ? error : hipDevicePrimaryCtxRetain(handle, device);
}

// A context of somebody's own.
EXPORT int cuCtxCreate_v2(void **handle, unsigned flags, int device);
int cuCtxCreate_v2(void **handle, unsigned flags, int device) {
  if (handle == NULL || flags != 0) return hipErrorInvalidValue;
  if (device_at(device) == NULL) return hipErrorInvalidDevice;
  *handle = context_of(device, FOREIGN);
  set_this_context(*handle);
  return hipSuccess;
}

EXPORT int cuCtxDestroy_v2(void *handle);
int cuCtxDestroy_v2(void *handle) {
  if (!is_context(handle) || handle == context_of(device_of(handle), PRIMARY)) {
    return hipErrorInvalidContext;
  }
  if (this_context() == handle) set_this_context(NULL);
  return hipSuccess;
}

EXPORT int cuCtxGetCurrent(void **handle);
int cuCtxGetCurrent(void **handle) {
  int error = enter();
  if (error == hipSuccess) error = call_begin(CALL_hipGetDevice);
  if (error == hipSuccess && handle == NULL) error = hipErrorInvalidValue;
  if (error == hipSuccess) *handle = this_context();
  return call_end(CALL_hipGetDevice, error);
}

static int check_context(void *handle) {
  if (handle == NULL) return hipSuccess;
  if (!is_context(handle) || device_at(device_of(handle)) == NULL) return hipErrorInvalidContext;
  bool primary = handle == context_of(device_of(handle), PRIMARY);
  return primary && !atomic_load(&retained[device_of(handle)]) ? hipErrorContextIsDestroyed
                                                               : hipSuccess;
}

EXPORT int cuCtxSetCurrent(void *handle);
int cuCtxSetCurrent(void *handle) {
  int error = enter();
  if (error == hipSuccess) error = call_begin(CALL_hipSetDevice);
  if (error == hipSuccess) error = check_context(handle);
  if (error == hipSuccess) set_this_context(handle);
  return call_end(CALL_hipSetDevice, error);
}

EXPORT int cuCtxGetDevice(int *device);
int cuCtxGetDevice(int *device) {
  int error = enter();
  if (error != hipSuccess) return error;
  if (this_context() == NULL) return hipErrorInvalidContext;
  *device = device_of(this_context());
  return hipSuccess;
}

// ---- peers --------------------------------------------------------------------------------------

EXPORT int cuCtxEnablePeerAccess(void *peer, unsigned flags);
int cuCtxEnablePeerAccess(void *peer, unsigned flags) {
  int error = enter_context();
  if (error == hipSuccess) error = check_context(peer);
  return leave(error == hipSuccess ? hipDeviceEnablePeerAccess(device_of(peer), flags) : error);
}

EXPORT int cuMemcpyPeerAsync(void *to, void *to_context, const void *from, void *from_context,
                             size_t size, void *stream);
int cuMemcpyPeerAsync(void *to, void *to_context, const void *from, void *from_context, size_t size,
                      void *stream) {
  int error = enter_context();
  if (error == hipSuccess) error = check_context(to_context);
  if (error == hipSuccess) error = check_context(from_context);
  if (error != hipSuccess) return leave(error);
  return leave(hipMemcpyPeerAsync(to, device_of(to_context), from, device_of(from_context), size,
                                  stream));
}

// ---- errors -------------------------------------------------------------------------------------

static const struct {
  int error;
  const char *name;
  const char *text;
} errors[] = {
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX is newer than this compiler"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel loaded or stored off its boundary"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "driver and kernel module differ"},
};

static int error_text(int error, bool name, const char **text) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    if (errors[i].error != error) continue;
    *text = name ? errors[i].name : errors[i].text;
    return hipSuccess;
  }
  *text = name ? "CUDA_ERROR_OF_HIP" : hipGetErrorString(error);
  return hipSuccess;
}

EXPORT int cuGetErrorName(int error, const char **name);
int cuGetErrorName(int error, const char **name) { return error_text(error, true, name); }

EXPORT int cuGetErrorString(int error, const char **text);
int cuGetErrorString(int error, const char **text) { return error_text(error, false, text); }

// ---- devices ------------------------------------------------------------------------------------

// By CUDA's number, from cuda.h, HIP's.
static const int attributes[] = {
    [1] = 56,  [2] = 26,  [3] = 27,  [4] = 28,  [5] = 29,  [6] = 30,  [7] = 31,
    [8] = 74,  [10] = 87, [12] = 71, [13] = 5,  [16] = 63, [18] = 16, [38] = 19,
    [39] = 57, [75] = 23, [76] = 61, [97] = 75, [115] = 88,
};

EXPORT int cuDeviceGetAttribute(int *value, int number, int device);
int cuDeviceGetAttribute(int *value, int number, int device) {
  int error = enter();
  if (error != hipSuccess) return error;
  int known = number > 0 && number < (int)(sizeof attributes / sizeof *attributes);
  if (!known || attributes[number] == 0) return hipErrorInvalidValue;
  return hipDeviceGetAttribute(value, attributes[number], device);
}

// Raw bytes, where HIP's are digits.
EXPORT int cuDeviceGetUuid_v2(hipUUID *uuid, int device);
int cuDeviceGetUuid_v2(hipUUID *uuid, int device) {
  int error = enter();
  if (error == hipSuccess) error = hipDeviceGetUuid(uuid, device);
  for (int i = 0; error == hipSuccess && i < 16; i++) uuid->bytes[i] ^= 0x80;
  return error;
}

EXPORT int cuDeviceGetUuid(hipUUID *uuid, int device);
int cuDeviceGetUuid(hipUUID *uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }

// ---- modules and functions ----------------------------------------------------------------------

enum { ERROR_LOG_BUFFER = 5, ERROR_LOG_BUFFER_SIZE_BYTES = 6 };

static void write_log(unsigned options, const int *numbers, void **values) {
  char *log = NULL;
  size_t size = 0;
  for (unsigned i = 0; i < options; i++) {
    if (numbers[i] == ERROR_LOG_BUFFER) log = values[i];
    if (numbers[i] == ERROR_LOG_BUFFER_SIZE_BYTES) size = (size_t)(uintptr_t)values[i];
  }
  if (log != NULL) {
    snprintf(log, size, "ptxas application ptx input, line 1; fatal   : Parsing error\n"
                        "ptxas fatal   : Ptx assembly aborted due to errors\n");
  }
}

API(hipModuleLoadDataEx,
    (void **handle, const void *image, unsigned options, const int *numbers, void **values),
    (handle, image, options, numbers, values)) {
  int error = hipModuleLoadData(handle, image);
  if (error == hipErrorInvalidKernelFile) write_log(options, numbers, values);
  return error;
}

EXPORT int cuModuleLoadDataEx(void **handle, const void *image, unsigned options,
                              const int *numbers, void **values);
int cuModuleLoadDataEx(void **handle, const void *image, unsigned options, const int *numbers,
                       void **values) {
  int error = enter_context();
  return error != hipSuccess ? error
                             : leave(hipModuleLoadDataEx(handle, image, options, numbers, values));
}

uint32_t dynamic_bytes(const struct function *function) {
  uint32_t raised = atomic_load(&function->raised_bytes);
  uint32_t unasked = UNASKED_BYTES - function->shared_bytes;
  return raised > unasked ? raised : unasked;
}

API(hipFuncSetAttribute, (void *handle, int number, int value), (handle, number, value)) {
  int error;
  struct function *function = handle_get(FUNCTION, handle, &error);
  if (function == NULL) return error;
  bool allowed = number == HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && value >= 0 &&
                 (uint32_t)value <= LDS_BYTES - function->shared_bytes;
  if (allowed) atomic_store(&function->raised_bytes, (uint32_t)value);
  object_release(function);
  return allowed ? hipSuccess : hipErrorInvalidValue;
}

EXPORT int cuFuncSetAttribute(void *function, int number, int value);
int cuFuncSetAttribute(void *function, int number, int value) {
  int error = enter_context();
  return error != hipSuccess ? error : leave(hipFuncSetAttribute(function, number, value));
}

EXPORT int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                          void *stream, void **parameters, void **extra);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **parameters, void **extra) {
  int error = enter_stream(stream);
  return error != hipSuccess
             ? error
             : leave(hipModuleLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y,
                                           block_z, shared, stream, parameters, extra));
}

EXPORT int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function,
                                            size_t (*shared_for)(int threads), size_t shared,
                                            int limit);
int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function,
                                     size_t (*shared_for)(int threads), size_t shared, int limit) {
  int error = enter_context();
  if (error == hipSuccess && shared_for != NULL) error = hipErrorInvalidValue;
  return error != hipSuccess
             ? error
             : leave(hipModuleOccupancyMaxPotentialBlockSize(grid, block, function, shared, limit));
}
