// SPDX-License-Identifier: Apache-2.0
//
// Executables: each has one code object, loaded as a module of the stand-in for HIP, which does to bad
// images what the real loader does. And what a launch's packet says, held against the kernel.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsa.h"

#define DESCRIPTOR ".kd"

struct reader {
  struct object object;
  const void *bytes;
  size_t size;
  atomic_int executables;
};

struct variable {
  struct object object;
  uint64_t address;
  size_t size;
  struct variable *next;
};

struct executable {
  struct object object;
  struct reader *reader;
  struct device *device;
  void *module;
  bool frozen;
  struct variable *variables;
};

static void destroy(struct object *object) { free(object); }

static void *get(enum kind kind, hsa_handle handle) {
  int error;
  return handle_get_anywhere(kind, (void *)(uintptr_t)handle.handle, &error);
}

static hsa_handle open_handle(struct object *object, enum kind kind) {
  object->kind = kind;
  object->references = 1;
  object->destroy = destroy;
  handle_open(object);
  return (hsa_handle){(uint64_t)(uintptr_t)object->handle};
}

static void *object_new(size_t size) {
  void *object = calloc(1, size);
  if (object == NULL) abort();
  return object;
}

API(hsa_code_object_reader_create_from_memory, (const void *bytes, size_t size, hsa_handle *to),
    (bytes, size, to)) {
  if (bytes == NULL || size == 0 || to == NULL) return HSA_INVALID_ARGUMENT;
  struct reader *reader = object_new(sizeof *reader);
  reader->bytes = bytes;
  reader->size = size;
  *to = open_handle(&reader->object, READER);
  return HSA_SUCCESS;
}

API(hsa_code_object_reader_destroy, (hsa_handle handle), (handle)) {
  struct reader *reader = get(READER, handle);
  if (reader == NULL) return HSA_INVALID_CODE_OBJECT_READER;
  // The bytes may be gone after this.
  if (atomic_load(&reader->executables) > 0) count(USE_AFTER_FREE, 1);
  handle_retire(&reader->object);
  object_release(reader);
  return HSA_SUCCESS;
}

API(hsa_executable_create_alt,
    (uint32_t profile, uint32_t rounding, const char *options, hsa_handle *to),
    (profile, rounding, options, to)) {
  if (profile != 1 || rounding != 0 || options != NULL || to == NULL) return HSA_INVALID_ARGUMENT;
  struct executable *executable = object_new(sizeof *executable);
  *to = open_handle(&executable->object, EXECUTABLE);
  return HSA_SUCCESS;
}

static int status_of(int error) {
  switch (error) {
    case hipSuccess: return HSA_SUCCESS;
    case hipErrorOutOfMemory: return HSA_OUT_OF_RESOURCES;
    case hipErrorInvalidKernelFile:
    case hipErrorInvalidImage: return HSA_INVALID_CODE_OBJECT;
    default: return HSA_INCOMPATIBLE_ARGUMENTS;
  }
}

API(hsa_executable_load_agent_code_object,
    (hsa_handle handle, hsa_handle agent, hsa_handle reader_handle, const char *options, void *loaded),
    (handle, agent, reader_handle, options, loaded)) {
  struct device *device = agent_device(agent);
  if (device == NULL) return HSA_INVALID_AGENT;
  if (options != NULL || loaded != NULL) return HSA_INVALID_ARGUMENT;
  struct executable *executable = get(EXECUTABLE, handle);
  if (executable == NULL) return HSA_INVALID_EXECUTABLE;
  struct reader *reader = get(READER, reader_handle);
  int status = HSA_INVALID_CODE_OBJECT_READER;
  if (reader != NULL) {
    status = executable->frozen || executable->module != NULL ? HSA_FROZEN_EXECUTABLE : HSA_SUCCESS;
    if (status == HSA_SUCCESS && memcmp(reader->bytes, "\177ELF", 4) != 0) {
      status = HSA_INVALID_CODE_OBJECT;
    }
    if (status == HSA_SUCCESS) {
      set_this_ordinal(device->ordinal);
      status = status_of(hipModuleLoadData(&executable->module, reader->bytes));
    }
    if (status == HSA_SUCCESS) {
      atomic_fetch_add(&reader->executables, 1);
      executable->reader = reader;
      executable->device = device;
    } else {
      object_release(reader);
    }
  }
  object_release(executable);
  return status;
}

API(hsa_executable_freeze, (hsa_handle handle, const char *options), (handle, options)) {
  struct executable *executable = get(EXECUTABLE, handle);
  if (executable == NULL) return HSA_INVALID_EXECUTABLE;
  // The code is copied to the device by a queue of the runtime.
  if (executable->device != NULL && atomic_load(&executable->device->dead)) wait_for_ever();
  int status = executable->frozen ? HSA_FROZEN_EXECUTABLE : HSA_SUCCESS;
  executable->frozen = true;
  object_release(executable);
  return options == NULL ? status : HSA_INVALID_ARGUMENT;
}

API(hsa_executable_destroy, (hsa_handle handle), (handle)) {
  struct executable *executable = get(EXECUTABLE, handle);
  if (executable == NULL) return HSA_INVALID_EXECUTABLE;
  while (executable->variables != NULL) {
    struct variable *variable = executable->variables;
    executable->variables = variable->next;
    handle_retire(&variable->object);
  }
  if (executable->module != NULL) {
    set_this_ordinal(executable->device->ordinal);
    hipModuleUnload(executable->module);
    atomic_fetch_sub(&executable->reader->executables, 1);
    object_release(executable->reader);
  }
  handle_retire(&executable->object);
  object_release(executable);
  return HSA_SUCCESS;
}

static int variable_symbol(struct executable *executable, const char *name, hsa_handle *to) {
  void *address;
  size_t size;
  if (hipModuleGetGlobal(&address, &size, executable->module, name) != hipSuccess) {
    return HSA_INVALID_SYMBOL_NAME;
  }
  struct variable *variable = object_new(sizeof *variable);
  variable->address = (uint64_t)(uintptr_t)address;
  variable->size = size;
  *to = open_handle(&variable->object, VARIABLE);
  variable->next = executable->variables;
  executable->variables = variable;
  return HSA_SUCCESS;
}

static int kernel_symbol(struct executable *executable, const char *name, hsa_handle *to) {
  char *kernel = strndup(name, strlen(name) - strlen(DESCRIPTOR));
  void *function = NULL;
  int error = hipModuleGetFunction(&function, executable->module, kernel);
  free(kernel);
  *to = (hsa_handle){(uint64_t)(uintptr_t)function};
  return error == hipSuccess ? HSA_SUCCESS : HSA_INVALID_SYMBOL_NAME;
}

API(hsa_executable_get_symbol_by_name,
    (hsa_handle handle, const char *name, const hsa_handle *agent, hsa_handle *to),
    (handle, name, agent, to)) {
  if (name == NULL || agent == NULL || to == NULL) return HSA_INVALID_ARGUMENT;
  struct executable *executable = get(EXECUTABLE, handle);
  if (executable == NULL) return HSA_INVALID_EXECUTABLE;
  int status = HSA_INVALID_EXECUTABLE;
  if (executable->frozen && executable->module != NULL) {
    set_this_ordinal(executable->device->ordinal);
    size_t length = strlen(name);
    bool kernel = length > 3 && strcmp(name + length - 3, DESCRIPTOR) == 0;
    status = agent_device(*agent) != executable->device ? HSA_INVALID_SYMBOL_NAME
             : kernel ? kernel_symbol(executable, name, to)
                      : variable_symbol(executable, name, to);
  }
  object_release(executable);
  return status;
}

static int put32(void *to, uint32_t value) {
  memcpy(to, &value, sizeof value);
  return HSA_SUCCESS;
}

static int put64(void *to, uint64_t value) {
  memcpy(to, &value, sizeof value);
  return HSA_SUCCESS;
}

// Kernels without any scratch get some here, so that a packet that forgets it is seen.
static uint32_t scratch_bytes(const struct function *function) {
  return function->private_bytes > 0 ? function->private_bytes : 64;
}

static int kernel_info(const struct function *function, uint32_t attribute, void *value) {
  switch (attribute) {
    case 0: return put32(value, 1);
    case 11: return put32(value, function->description->kernarg_bytes);
    case 12: return put32(value, 16);
    case 13: return put32(value, function->shared_bytes);
    case 14: return put32(value, scratch_bytes(function));
    case 22: return put64(value, (uint64_t)(uintptr_t)function->object.handle);
    default: return HSA_INVALID_ARGUMENT;
  }
}

static int variable_info(const struct variable *variable, uint32_t attribute, void *value) {
  switch (attribute) {
    case 0: return put32(value, 0);
    case 9: return put32(value, (uint32_t)variable->size);
    case 21: return put64(value, variable->address);
    default: return HSA_INVALID_ARGUMENT;
  }
}

// The kind of a handle stands in it.
static bool is_of(enum kind kind, hsa_handle handle) {
  return (handle.handle >> 48 & 0xff) == (uint64_t)kind;
}

API(hsa_executable_symbol_get_info, (hsa_handle symbol, uint32_t attribute, void *value),
    (symbol, attribute, value)) {
  enum kind kind = is_of(VARIABLE, symbol) ? VARIABLE : FUNCTION;
  void *object = get(kind, symbol);
  if (object == NULL) return HSA_INVALID_EXECUTABLE_SYMBOL;
  int status = kind == VARIABLE ? variable_info(object, attribute, value)
                                : kernel_info(object, attribute, value);
  object_release(object);
  return status;
}

// ---- packets ------------------------------------------------------------------------------------

static uint16_t u16(const unsigned char *at) {
  uint16_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static uint32_t u32(const unsigned char *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static uint64_t u64(const unsigned char *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

// What a hidden argument must be.
static uint64_t hidden_value(const char *kind, const struct launch *launch, const void *queue) {
  static const char *const axes = "xyz";
  const char *axis = strchr(axes, kind[strlen(kind) - 1]);
  int i = axis == NULL ? 0 : (int)(axis - axes);
  if (strncmp(kind, "hidden_block_count_", 19) == 0) return launch->grid[i];
  if (strncmp(kind, "hidden_group_size_", 18) == 0) return launch->block[i];
  if (strcmp(kind, "hidden_grid_dims") == 0) return 3;
  if (strcmp(kind, "hidden_dynamic_lds_size") == 0) return launch->shared_bytes;
  if (strcmp(kind, "hidden_queue_ptr") == 0) return (uint64_t)(uintptr_t)queue;
  return 0;
}

static const char *check_hidden(const struct launch *launch, const void *queue) {
  const struct description *kernel = launch->function->description;
  for (uint32_t i = 0; i < kernel->hidden_count; i++) {
    const struct hidden *hidden = &kernel->hidden[i];
    uint64_t value = 0;
    if (hidden->size > sizeof value) return "a hidden argument of more than 8 bytes";
    memcpy(&value, launch->arguments + hidden->offset, hidden->size);
    if (value != hidden_value(hidden->kind, launch, queue)) return hidden->kind;
  }
  return NULL;
}

static const char *check_shape(const unsigned char *packet, const struct function *function) {
  uint64_t threads = 1;
  for (int i = 0; i < 3; i++) {
    uint32_t block = u16(packet + 4 + 2 * i), grid = u32(packet + 12 + 4 * i);
    if (block == 0 || grid == 0 || grid % block != 0) return "the grid";
    threads *= block;
  }
  if (threads > function->description->max_threads) return "the block";
  if (u16(packet + 2) != 3) return "the number of dimensions";
  if (u16(packet + 10) != 0 || u64(packet + 48) != 0) return "a reserved field";
  if (u32(packet + 24) < scratch_bytes(function)) return "the private segment";
  uint32_t shared = u32(packet + 28);
  if (shared < function->shared_bytes || shared > LDS_BYTES) return "the group segment";
  size_t size = function->description->kernarg_bytes;
  uint64_t arguments = u64(packet + 40);
  if (arguments % 64 != 0 || !kernarg_usable(arguments, size)) return "the kernarg address";
  return NULL;
}

struct launch *launch_of_packet(const unsigned char *packet, const void *queue,
                                const char **wrong) {
  struct function *function =
      is_of(FUNCTION, (hsa_handle){u64(packet + 32)}) ? get(FUNCTION, (hsa_handle){u64(packet + 32)})
                                                       : NULL;
  *wrong = function == NULL ? "the kernel object" : check_shape(packet, function);
  if (*wrong != NULL) {
    if (function != NULL) object_release(function);
    return NULL;
  }
  size_t size = function->description->kernarg_bytes;
  struct launch *launch = object_new(sizeof *launch + size);
  launch->function = function;
  launch->device = device_at(function->object.device);
  for (int i = 0; i < 3; i++) {
    launch->block[i] = u16(packet + 4 + 2 * i);
    launch->grid[i] = u32(packet + 12 + 4 * i) / launch->block[i];
  }
  launch->shared_bytes = u32(packet + 28) - function->shared_bytes;
  launch->size = size;
  read_memory((const void *)(uintptr_t)u64(packet + 40), launch->arguments, size);
  *wrong = check_hidden(launch, queue);
  return launch;
}
