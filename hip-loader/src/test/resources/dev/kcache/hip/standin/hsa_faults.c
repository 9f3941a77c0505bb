// SPDX-License-Identifier: Apache-2.0
//
// A library that stands in for libhsa-runtime64 where a GPU faults: agents, and system events with
// their real layout, from a thread of its own. The stand-in for libamdhip64 loads it and says which
// devices there are and when one faults; functions with "standin_" are for it.
//
// As in the real one, a fault ends the process unless a handler says that it took care. Only the
// first fault of a process is told.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum {
  HSA_STATUS_SUCCESS = 0,
  HSA_STATUS_ERROR_INVALID_ARGUMENT = 0x1001,
  HSA_STATUS_ERROR_INVALID_AGENT = 0x1004,
  HSA_STATUS_ERROR_OUT_OF_RESOURCES = 0x1008,
  HSA_STATUS_ERROR_NOT_INITIALIZED = 0x100b,
};

enum { MAX_AGENTS = 65, MAX_HANDLERS = 8 };

typedef struct {
  uint64_t handle;
} hsa_agent_t;

// hsa_amd_event_t: the offsets are those that a C compiler gives with AMD's header.
struct event {
  uint32_t type;
  uint32_t padding;
  hsa_agent_t agent;
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

static atomic_int opened;

// The processor comes first. A handle is the address of an agent.
static struct agent {
  bool gpu;
  uint32_t domain;
  uint32_t bus_device_function;
} agents[MAX_AGENTS];
static int agent_count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t raised = PTHREAD_COND_INITIALIZER;
static struct {
  handler call;
  void *data;
} handlers[MAX_HANDLERS];
static int handler_count;
static bool pending;
static struct event event;

static uint64_t handle_of(const struct agent *agent) { return (uint64_t)(uintptr_t)agent; }

static struct agent *agent_of(hsa_agent_t handle) {
  for (int i = 0; i < agent_count; i++) {
    if (handle_of(&agents[i]) == handle.handle) return &agents[i];
  }
  return NULL;
}

static bool claimed(void) {
  bool taken = false;
  for (int i = 0; i < handler_count; i++) {
    if (handlers[i].call(&event, handlers[i].data) == HSA_STATUS_SUCCESS) taken = true;
  }
  return taken;
}

static void *serve(void *unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  while (!pending) pthread_cond_wait(&raised, &lock);
  pthread_mutex_unlock(&lock);
  if (!claimed()) {
    int node = (int)(agent_of(event.agent) - agents);
    if (event.type == 0) {
      fprintf(stderr, "Memory access fault by GPU node-%d on address %#llx\n", node,
              (unsigned long long)event.of.memory.address);
    } else {
      fprintf(stderr, "HW Exception by GPU node-%d\n", node);
    }
    abort();
  }
  return NULL;
}

EXPORT int hsa_init(void);
int hsa_init(void) {
  if (atomic_fetch_add(&opened, 1) > 0) return HSA_STATUS_SUCCESS;
  agents[0] = (struct agent){0};
  agent_count = 1;
  pthread_t thread;
  if (pthread_create(&thread, NULL, serve, NULL) != 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  pthread_detach(thread);
  return HSA_STATUS_SUCCESS;
}

EXPORT int hsa_amd_register_system_event_handler(handler call, void *data);
int hsa_amd_register_system_event_handler(handler call, void *data) {
  if (atomic_load(&opened) == 0) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  pthread_mutex_lock(&lock);
  bool room = handler_count < MAX_HANDLERS;
  if (room) {
    handlers[handler_count].call = call;
    handlers[handler_count++].data = data;
  }
  pthread_mutex_unlock(&lock);
  return room ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

EXPORT int hsa_iterate_agents(int (*each)(hsa_agent_t agent, void *data), void *data);
int hsa_iterate_agents(int (*each)(hsa_agent_t agent, void *data), void *data) {
  if (atomic_load(&opened) == 0) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  for (int i = 0; i < agent_count; i++) {
    int status = each((hsa_agent_t){handle_of(&agents[i])}, data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

EXPORT int hsa_agent_get_info(hsa_agent_t handle, uint32_t attribute, void *value);
int hsa_agent_get_info(hsa_agent_t handle, uint32_t attribute, void *value) {
  if (atomic_load(&opened) == 0) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const struct agent *agent = agent_of(handle);
  if (agent == NULL) return HSA_STATUS_ERROR_INVALID_AGENT;
  uint32_t number;
  switch (attribute) {
    case 17: number = agent->gpu ? 1 : 0; break;                     // DEVICE
    case 0xa006: number = agent->bus_device_function; break;         // BDFID
    case 0xa00f: number = agent->domain; break;                      // DOMAIN
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  memcpy(value, &number, sizeof number);
  return HSA_STATUS_SUCCESS;
}

// Adds the agent of a GPU; gives its handle.
EXPORT uint64_t standin_hsa_gpu(uint32_t domain, uint32_t bus);
uint64_t standin_hsa_gpu(uint32_t domain, uint32_t bus) {
  if (agent_count == MAX_AGENTS) abort();
  struct agent *agent = &agents[agent_count++];
  *agent = (struct agent){.gpu = true, .domain = domain, .bus_device_function = bus << 8};
  return handle_of(agent);
}

static void raise_event(struct event one) {
  pthread_mutex_lock(&lock);
  if (!pending) event = one;
  pending = true;
  pthread_cond_signal(&raised);
  pthread_mutex_unlock(&lock);
}

// Tells the event thread that a GPU touched a page that it must not, and returns.
EXPORT void standin_hsa_memory_fault(uint64_t agent, uint64_t page, uint32_t reasons);
void standin_hsa_memory_fault(uint64_t agent, uint64_t page, uint32_t reasons) {
  raise_event((struct event){.type = 0, .agent = {agent}, .of.memory = {page, reasons}});
}

// Tells the event thread that a GPU was reset because it hung, and returns.
EXPORT void standin_hsa_hang(uint64_t agent);
void standin_hsa_hang(uint64_t agent) {
  raise_event((struct event){.type = 1, .agent = {agent}, .of.hardware = {2, 1}});
}
