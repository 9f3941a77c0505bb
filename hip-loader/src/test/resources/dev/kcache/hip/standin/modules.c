// SPDX-License-Identifier: Apache-2.0
//
// Modules: a code object on one device, its functions and its variables.
#include <stdlib.h>
#include <string.h>

#include "standin.h"

#define DESCRIPTOR ".kd"

#define ALIAS UINT64_MAX

enum { DESCRIPTOR_SIZE = 64 };

struct global {
  char *name;
  uint64_t address;
  uint64_t size;
  uint64_t place;  // in the image; ALIAS if it is another name of a variable that was there
  bool asked;
};

struct module {
  struct object object;
  struct image image;
  struct description *descriptions;
  size_t description_count;

  struct function **functions;  // one for each kernel; they end with the module
  size_t function_count;
  struct global *globals;
  size_t global_count;
  bool out_of_memory;
  atomic_long in_flight;
};

struct image *module_image(struct module *module) { return &module->image; }

void module_in_flight(struct module *module, int by) { atomic_fetch_add(&module->in_flight, by); }

static void *grown(void *array, size_t count, size_t size) {
  void *larger = realloc(array, (count + 1) * size);
  if (larger == NULL) abort();
  return larger;
}

static void destroy_function(struct object *object) {
  object_release(((struct function *)object)->module);
  free(object);
}

static const struct description *description_of(const struct module *module, const char *symbol) {
  for (size_t i = 0; i < module->description_count; i++) {
    if (strcmp(module->descriptions[i].symbol, symbol) == 0) return &module->descriptions[i];
  }
  return NULL;
}

static void add_function(struct module *module, struct symbol symbol) {
  const struct description *description = description_of(module, symbol.name);
  bool whole = symbol.contents != NULL && symbol.size >= DESCRIPTOR_SIZE;
  if (description == NULL || !whole) abort();
  struct function *function = calloc(1, sizeof *function);
  if (function == NULL) abort();
  function->object = (struct object){.kind = FUNCTION,
                                     .device = module->object.device,
                                     .references = 1,
                                     .destroy = destroy_function};
  function->module = module;
  function->description = description;
  function->body = kernel_named(description->name);
  memcpy(&function->shared_bytes, symbol.contents, 4);
  memcpy(&function->private_bytes, symbol.contents + 4, 4);
  object_retain(module);
  handle_open(&function->object);
  module->functions =
      grown(module->functions, module->function_count, sizeof *module->functions);
  module->functions[module->function_count++] = function;
}

static const struct global *global_at(const struct module *module, uint64_t place) {
  for (size_t i = 0; i < module->global_count; i++) {
    if (module->globals[i].place == place) return &module->globals[i];
  }
  return NULL;
}

static void add_alias(struct module *module, struct symbol symbol, uint64_t address) {
  module->globals = grown(module->globals, module->global_count, sizeof *module->globals);
  module->globals[module->global_count++] =
      (struct global){strdup(symbol.name), address, symbol.size, ALIAS, false};
}

static void add_global(struct module *module, struct symbol symbol) {
  const struct global *same = global_at(module, symbol.address);
  if (same != NULL) {
    add_alias(module, symbol, same->address);
    return;
  }
  struct device *device = device_at(module->object.device);
  pthread_mutex_lock(&device->lock);
  uint64_t address = memory_allocate(device, symbol.size, true);
  if (address == 0) {
    module->out_of_memory = true;
  } else if (symbol.contents != NULL) {
    memcpy(memory_at(device, address, symbol.size), symbol.contents, symbol.size);
  } else {
    memset(memory_at(device, address, symbol.size), 0, symbol.size);
  }
  pthread_mutex_unlock(&device->lock);
  if (address == 0) return;
  module->globals = grown(module->globals, module->global_count, sizeof *module->globals);
  module->globals[module->global_count++] =
      (struct global){strdup(symbol.name), address, symbol.size, symbol.address, false};
}

static void add(void *context, struct symbol symbol) {
  size_t length = strlen(symbol.name), suffix = strlen(DESCRIPTOR);
  if (length > suffix && strcmp(symbol.name + length - suffix, DESCRIPTOR) == 0) {
    add_function(context, symbol);
  } else if (symbol.size > 0) {
    add_global(context, symbol);
  }
}

// Modules end also when the stand-in is reset.
static _Thread_local bool unloading;

#ifndef STAND_IN_CUDA
// The real runtime keeps one object for an address, and aborts when it deletes that once more.
static void check_aliases(const struct module *module) {
  for (size_t i = 0; i < module->global_count; i++) {
    for (size_t j = 0; j < i; j++) {
      const struct global *one = &module->globals[i], *other = &module->globals[j];
      if (one->asked && other->asked && one->address == other->address) abort();
    }
  }
}
#endif

// Ends the functions too, so that none is found through a handle any more.
static void end(struct object *object) {
  struct module *module = (struct module *)object;
  if (atomic_load(&module->in_flight) > 0) count(UNLOADED_IN_FLIGHT, 1);
  image_check(&module->image);
#ifndef STAND_IN_CUDA
  if (unloading) check_aliases(module);
#endif
  for (size_t i = 0; i < module->function_count; i++) {
    handle_retire(&module->functions[i]->object);
  }
  count(MODULES, -1);
}

// Runs when no launch is left that may use the variables.
static void destroy(struct object *object) {
  struct module *module = (struct module *)object;
  struct device *device = device_at(module->object.device);
  pthread_mutex_lock(&device->lock);
  for (size_t i = 0; i < module->global_count; i++) {
    if (module->globals[i].place != ALIAS) memory_release(device, module->globals[i].address);
    free(module->globals[i].name);
  }
  pthread_mutex_unlock(&device->lock);
  metadata_free(module->descriptions, module->description_count);
  image_close(&module->image);
  free(module->functions);
  free(module->globals);
  free(module);
}

// Returns whether there are descriptions.
static bool read_descriptions(struct module *module) {
  size_t size, count;
  const unsigned char *metadata;
  int number = 0;
  for (; (metadata = image_metadata(&module->image, number, &size)) != NULL; number++) {
    struct description *read = metadata_read(metadata, size, &count);
    size_t all = module->description_count + count;
    module->descriptions = realloc(module->descriptions, (all + 1) * sizeof *read);
    if (module->descriptions == NULL) abort();
    if (count > 0) memcpy(module->descriptions + all - count, read, count * sizeof *read);
    module->description_count = all;
    free(read);
  }
  return number > 0;
}

API(hipModuleLoadData, (void **handle, const void *given), (handle, given)) {
  if (handle == NULL || given == NULL) return hipErrorInvalidValue;
  struct module *module = calloc(1, sizeof *module);
  if (module == NULL) abort();
  int error = image_open(&module->image, given, &this_device()->target);
  if (error != hipSuccess) {
    free(module);
    return error;
  }
  module->object = (struct object){
      .kind = MODULE, .device = this_ordinal(), .references = 1, .end = end, .destroy = destroy};
  handle_open(&module->object);
  count(MODULES, 1);
  if (!read_descriptions(module)) {
    error = hipErrorSharedObjectInitFailed;
  } else {
#ifndef STAND_IN_CUDA
    loader_walk(&module->image);
#endif
    image_symbols(&module->image, add, module);
    if (module->out_of_memory) error = hipErrorOutOfMemory;
  }
  if (error != hipSuccess) {
    handle_retire(&module->object);
    return error;
  }
  *handle = module->object.handle;
  return hipSuccess;
}

API(hipModuleUnload, (void *handle), (handle)) {
  unloading = true;
  int error = handle_close(MODULE, handle);
  unloading = false;
  return error;
}

static bool named(const char *name) { return name != NULL && *name != '\0'; }

API(hipModuleGetFunction, (void **function, void *handle, const char *name),
    (function, handle, name)) {
  if (function == NULL || !named(name)) return hipErrorInvalidValue;
  int error;
  struct module *module = handle_get(MODULE, handle, &error);
  if (module == NULL) return error;
  image_check(&module->image);
  error = hipErrorNotFound;
  for (size_t i = 0; i < module->function_count && error != hipSuccess; i++) {
    if (strcmp(module->functions[i]->description->name, name) != 0) continue;
    *function = module->functions[i]->object.handle;
    error = hipSuccess;
  }
  object_release(module);
  return error;
}

#if STAND_IN_MAJOR >= 7
API(hipModuleGetFunctionCount, (unsigned *total, void *handle), (total, handle)) {
  if (total == NULL) return hipErrorInvalidValue;
  int error;
  struct module *module = handle_get(MODULE, handle, &error);
  if (module == NULL) return error;
  *total = (unsigned)module->function_count;
  object_release(module);
  return hipSuccess;
}
#endif

API(hipModuleGetGlobal, (void **address, size_t *size, void *handle, const char *name),
    (address, size, handle, name)) {
  if ((address == NULL && size == NULL) || !named(name)) return hipErrorInvalidValue;
  int error;
  struct module *module = handle_get(MODULE, handle, &error);
  if (module == NULL) return error;
  error = hipErrorNotFound;
#ifndef STAND_IN_CUDA
  if (description_of(module, name) != NULL) abort();
#endif
  for (size_t i = 0; i < module->global_count && error != hipSuccess; i++) {
    struct global *global = &module->globals[i];
    if (strcmp(global->name, name) != 0) continue;
    global->asked = true;
    if (address != NULL) *address = (void *)(uintptr_t)global->address;
    if (size != NULL) *size = global->size;
    error = hipSuccess;
  }
  object_release(module);
  return error;
}
