// SPDX-License-Identifier: Apache-2.0
//
// Kernels of libraries that a test compiled for the host. They are preferred to those of the same name
// that the stand-in knows itself. A library has these functions:
//
//   int kcache_host_has(const char *name)             whether it has a kernel
//   int kcache_host_launch(name, grid, block, arguments, size, translate, context)
//                                                     runs one; 0 or a number for what went wrong
//   const char *kcache_host_message(void)             what that was, for people
//
// A kernel reaches memory by itself: what it does beyond the end of a block crashes the process, and
// what it writes beside one is a fault that is found when it ends.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

enum { MAX_LIBRARIES = 64, ARGUMENTS_TOO_SHORT = 2 };

typedef void *(*translation)(void *context, uint64_t address);

struct library {
  void *handle;
  int (*has)(const char *name);
  int (*launch)(const char *name, const uint32_t grid[3], const uint32_t block[3],
                const void *arguments, size_t size, translation translate, void *context);
  const char *(*message)(void);
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct library libraries[MAX_LIBRARIES];
static size_t library_count;

static bool open_library(const char *path, struct library *library) {
  library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library->handle == NULL) {
    fprintf(stderr, "stand-in: %s\n", dlerror());
    return false;
  }
  *(void **)&library->has = dlsym(library->handle, "kcache_host_has");
  *(void **)&library->launch = dlsym(library->handle, "kcache_host_launch");
  *(void **)&library->message = dlsym(library->handle, "kcache_host_message");
  bool whole = library->has != NULL && library->launch != NULL && library->message != NULL;
  if (!whole) {
    fprintf(stderr, "stand-in: %s is no library of kernels\n", path);
    dlclose(library->handle);
  }
  return whole;
}

// Adds a library for modules that are loaded from now on; gives whether it is one. A reset forgets it.
EXPORT int standin_kernels(const char *path);
int standin_kernels(const char *path) {
  pthread_mutex_lock(&lock);
  bool added = library_count < MAX_LIBRARIES && open_library(path, &libraries[library_count]);
  if (added) library_count++;
  pthread_mutex_unlock(&lock);
  return added;
}

void hosted_configure(const char *settings) {
  static const char key[] = "kernels=";
  for (const char *at = settings; at != NULL; at = strchr(at, ';')) {
    if (*at == ';') at++;
    if (strncmp(at, key, strlen(key)) != 0) continue;
    char path[4096];
    size_t length = strcspn(at + strlen(key), ";");
    if (length >= sizeof path) abort();
    memcpy(path, at + strlen(key), length);
    path[length] = '\0';
    if (!standin_kernels(path)) abort();
  }
}

void hosted_reset(void) {
  while (library_count > 0) dlclose(libraries[--library_count].handle);
}

// The library that has a kernel; the one that was added last, if several have. NULL if none has.
static const struct library *library_of(const char *name) {
  const struct library *found = NULL;
  pthread_mutex_lock(&lock);
  for (size_t i = library_count; i > 0 && found == NULL; i--) {
    if (libraries[i - 1].has(name)) found = &libraries[i - 1];
  }
  pthread_mutex_unlock(&lock);
  return found;
}

// A pointer to nothing of the device's becomes NULL: a kernel may get one that doesn't use it.
static void *translate(void *context, uint64_t address) {
  struct device *device = context;
  const struct range *range = memory_range(device, address);
  if (range != NULL) return range->host + (address - range->address);
  struct device *owner = memory_device(address);
  if (owner != NULL && owner != device) count(WRONG_DEVICE, 1);
  return NULL;
}

static void run_hosted(struct launch *launch) {
  struct device *device = launch->device;
  const char *name = launch->function->description->name;
  const struct library *library = library_of(name);
  if (library == NULL) abort();
  int status = library->launch(name, launch->grid, launch->block, launch->arguments, launch->size,
                               translate, device);
  if (status != 0) {
    fprintf(stderr, "stand-in: kernel %s: %s\n", name, library->message());
    device_fault(device, status == ARGUMENTS_TOO_SHORT ? hipErrorIllegalAddress
                                                       : hipErrorLaunchFailure);
  }
  uint64_t beside = memory_overrun(device);
  if (beside != 0) {
    fprintf(stderr, "stand-in: kernel %s wrote beside the memory at %#llx\n", name,
            (unsigned long long)beside);
    device_fault(device, hipErrorIllegalAddress);
  }
}

kernel_body hosted_named(const char *name) { return library_of(name) == NULL ? NULL : run_hosted; }
