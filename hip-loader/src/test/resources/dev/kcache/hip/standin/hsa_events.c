// SPDX-License-Identifier: Apache-2.0
//
// As in the real libhsa-runtime64, a fault ends the process unless a handler says that it took care.
// Only the first fault of a process is told.
#include "hsa_events.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum {
  STATUS_SUCCESS = 0,
  STATUS_OUT_OF_RESOURCES = 0x1008,
  STATUS_NOT_INITIALIZED = 0x100b,
};

enum { MAX_HANDLERS = 8 };

// hsa_amd_event_t: the offsets are those that a C compiler gives with AMD's header.
struct event {
  uint32_t type;
  uint32_t padding;
  uint64_t agent;
  union {
    struct {
      uint64_t address;
      uint32_t reasons;
    } memory;
    struct {
      uint32_t reset_type;
      uint32_t cause;
    } hardware;
  } of;
};

_Static_assert(sizeof(struct event) == 32, "hsa_amd_event_t has 32 bytes");

typedef int (*handler)(const struct event *event, void *data);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t raised = PTHREAD_COND_INITIALIZER;
static struct {
  handler call;
  void *data;
} handlers[MAX_HANDLERS];
static int handler_count;
static bool pending;
static struct event event;
static uint32_t wait_before;
static int (*node_of)(uint64_t agent);

static bool claimed(void) {
  bool taken = false;
  for (int i = 0; i < handler_count; i++) {
    if (handlers[i].call(&event, handlers[i].data) == STATUS_SUCCESS) taken = true;
  }
  return taken;
}

static void *serve(void *unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  while (!pending) pthread_cond_wait(&raised, &lock);
  pthread_mutex_unlock(&lock);
  usleep(wait_before);
  if (!claimed()) {
    if (event.type == 0) {
      fprintf(stderr, "Memory access fault by GPU node-%d on address %#llx\n", node_of(event.agent),
              (unsigned long long)event.of.memory.address);
    } else {
      fprintf(stderr, "HW Exception by GPU node-%d\n", node_of(event.agent));
    }
    abort();
  }
  return NULL;
}

int events_open(int (*node)(uint64_t agent)) {
  pthread_mutex_lock(&lock);
  if (node_of == NULL) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, NULL) == 0) {
      node_of = node;
      pthread_detach(thread);
    }
  }
  bool open = node_of != NULL;
  pthread_mutex_unlock(&lock);
  return open;
}

EXPORT int hsa_amd_register_system_event_handler(handler call, void *data);
int hsa_amd_register_system_event_handler(handler call, void *data) {
  pthread_mutex_lock(&lock);
  bool room = handler_count < MAX_HANDLERS;
  int status = node_of == NULL ? STATUS_NOT_INITIALIZED
               : room          ? STATUS_SUCCESS
                               : STATUS_OUT_OF_RESOURCES;
  if (status == STATUS_SUCCESS) {
    handlers[handler_count].call = call;
    handlers[handler_count++].data = data;
  }
  pthread_mutex_unlock(&lock);
  return status;
}

static void raise_event(struct event one, uint32_t delay) {
  pthread_mutex_lock(&lock);
  if (!pending) {
    event = one;
    wait_before = delay;
  }
  pending = true;
  pthread_cond_signal(&raised);
  pthread_mutex_unlock(&lock);
}

void events_memory_fault(uint64_t agent, uint64_t page, uint32_t reasons, uint32_t delay) {
  raise_event((struct event){.type = 0, .agent = agent, .of.memory = {page, reasons}}, delay);
}

void events_hang(uint64_t agent, uint32_t delay) {
  raise_event((struct event){.type = 1, .agent = agent, .of.hardware = {2, 1}}, delay);
}
