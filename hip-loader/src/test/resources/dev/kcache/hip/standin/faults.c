// SPDX-License-Identifier: Apache-2.0
//
// What AMD's runtime does when a GPU faults, if it is asked for: by the setting "hsa", which names
// the stand-in for libhsa-runtime64, or by a library that is linked with it. Without, a faulted
// device has a sticky error, as CUDA's have.
//
// The GPU's queues are dead after a fault: what was given to them never ends, and whoever waits for
// it, at the end of the process too, waits for ever. From 7.0 on the runtime claims the fault if no
// core is to be written, and then each call of the process fails.
//
// HSA alone tells a queue its error unless the setting "fault" says that it is an event.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "standin.h"
#ifdef STAND_IN_HSA
#include "hsa.h"
#include "hsa_events.h"
#endif

enum { PAGE_NOT_PRESENT = 1, NOT_CLAIMED = 0x1000 };

static char library[4096];
static char kind[32];
static char told[16];

static bool attached;
#ifndef STAND_IN_HSA
static uint64_t agents[MAX_DEVICES];
static void (*memory_fault)(uint64_t agent, uint64_t page, uint32_t reasons);
static void (*hang)(uint64_t agent);
#endif
static atomic_int gpu_error;  // 7: the error of every call from now on

bool faults_are_fatal(void) { return attached; }

int fault_of_all(void) { return atomic_load_explicit(&gpu_error, memory_order_relaxed); }

static void setting(const char *settings, const char *key, char *value, size_t size) {
  const char *at = settings == NULL ? NULL : strstr(settings, key);
  if (at == NULL) return;
  at += strlen(key);
  size_t length = strcspn(at, ";");
  if (length >= size) abort();
  memcpy(value, at, length);
  value[length] = '\0';
}

// "hsa=<file>", and "fault=" what the kernel of that name does: page, hang or trap. With HSA alone,
// "told=" says how many microseconds after a fault the event comes.
void faults_configure(const char *settings) {
  setting(settings, "hsa=", library, sizeof library);
  setting(settings, "fault=", kind, sizeof kind);
  setting(settings, "told=", told, sizeof told);
}

bool faults_trap(void) { return strcmp(kind, "trap") == 0; }

#if STAND_IN_MAJOR >= 7 && !defined(STAND_IN_CUDA) && !defined(STAND_IN_HSA)
// The runtime's own handler: the first 4 bytes of an event are its type.
static int backend_error(const uint32_t *event, void *unused) {
  (void)unused;
  struct rlimit core;
  const char *skip = getenv("HIP_SKIP_ABORT_ON_GPU_ERROR");
  bool dumps = getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_cur != 0;
  if (dumps || (skip != NULL && strcmp(skip, "0") == 0)) return NOT_CLAIMED;
  atomic_store(&gpu_error, *event == 0 ? hipErrorIllegalAddress : hipErrorLaunchFailure);
  return 0;
}
#endif

#ifdef STAND_IN_HSA
void faults_attach(void) {
  attached = strcmp(kind, "page") == 0 || strcmp(kind, "hang") == 0;
}
#else
void faults_attach(void) {
  void *hsa = *library != '\0' ? dlopen(library, RTLD_NOW)
                               : dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (hsa == NULL) {
    if (*library != '\0') abort();
    return;
  }
  int (*init)(void) = dlsym(hsa, "hsa_init");
  uint64_t (*add)(uint32_t, uint32_t) = dlsym(hsa, "standin_hsa_gpu");
  memory_fault = dlsym(hsa, "standin_hsa_memory_fault");
  hang = dlsym(hsa, "standin_hsa_hang");
  if (add == NULL) return;  // the real one, which another library loaded
  if (init() != 0) abort();
  for (int i = 0; device_at(i) != NULL; i++) {
    agents[i] = add((uint32_t)device_at(i)->domain, (uint32_t)device_at(i)->bus);
  }
#if STAND_IN_MAJOR >= 7 && !defined(STAND_IN_CUDA)
  int (*on_event)(void *, void *) = dlsym(hsa, "hsa_amd_register_system_event_handler");
  if (on_event != NULL && on_event(backend_error, NULL) != 0) abort();
#endif
  attached = true;
}
#endif

_Noreturn void wait_for_ever(void) {
  while (true) pause();
}

static uint64_t page_of(uint64_t address) { return address & ~(uint64_t)(PAGE - 1); }

#ifdef STAND_IN_HSA
static void die(struct device *device, uint64_t address) {
  atomic_store(&device->dead, true);
  uint32_t delay = (uint32_t)atoi(told);
  if (strcmp(kind, "hang") == 0) {
    events_hang(agent_of_device(device), delay);
  } else {
    events_memory_fault(agent_of_device(device), page_of(address), PAGE_NOT_PRESENT, delay);
  }
}

// Makes a device fault by the work of somebody else.
EXPORT void standin_fault_foreign(int ordinal);
void standin_fault_foreign(int ordinal) { die(device_at(ordinal), 0x34000); }

// The device is locked, which keeps nobody from calls that need only its memory.
_Noreturn void fault_fatally(struct device *device, uint64_t address) {
  die(device, address);
  pthread_mutex_unlock(&device->lock);
  wait_for_ever();
}
#else
_Noreturn void fault_fatally(struct device *device, uint64_t address) {
  atomic_store(&device->dead, true);
  if (strcmp(kind, "trap") == 0) {
    if (STAND_IN_MAJOR < 7) {
      fprintf(stderr, ":0:rocdevice.cpp: HSA_STATUS_ERROR_EXCEPTION: a kernel trapped\n");
      abort();
    }
    atomic_store(&gpu_error, hipErrorLaunchFailure);
  } else if (strcmp(kind, "hang") == 0) {
    hang(agents[device->ordinal]);
  } else {
    memory_fault(agents[device->ordinal], page_of(address), PAGE_NOT_PRESENT);
  }
  wait_for_ever();
}
#endif

// The runtime waits for its queues when the process ends, for dead ones in all versions.
__attribute__((destructor)) static void tear_down(void) {
  for (int i = 0; attached && device_at(i) != NULL; i++) {
    if (atomic_load(&device_at(i)->dead)) wait_for_ever();
    device_drain(device_at(i));
  }
}
