// SPDX-License-Identifier: Apache-2.0
//
// A library that stands in for libhsa-runtime64 where a GPU faults: agents, and system events with
// their real layout, from a thread of its own. The stand-in for libamdhip64 loads it and says which
// devices there are and when one faults; functions with "standin_" are for it.
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hsa_events.h"

#define EXPORT __attribute__((visibility("default")))

enum {
  HSA_STATUS_SUCCESS = 0,
  HSA_STATUS_ERROR_INVALID_ARGUMENT = 0x1001,
  HSA_STATUS_ERROR_INVALID_AGENT = 0x1004,
  HSA_STATUS_ERROR_OUT_OF_RESOURCES = 0x1008,
  HSA_STATUS_ERROR_NOT_INITIALIZED = 0x100b,
};

enum { MAX_AGENTS = 65 };

typedef struct {
  uint64_t handle;
} hsa_agent_t;

static atomic_int opened;

// The processor comes first. A handle is the address of an agent.
static struct agent {
  bool gpu;
  uint32_t domain;
  uint32_t bus_device_function;
} agents[MAX_AGENTS];
static int agent_count;

static uint64_t handle_of(const struct agent *agent) { return (uint64_t)(uintptr_t)agent; }

static struct agent *agent_of(hsa_agent_t handle) {
  for (int i = 0; i < agent_count; i++) {
    if (handle_of(&agents[i]) == handle.handle) return &agents[i];
  }
  return NULL;
}

static int node_of(uint64_t handle) { return (int)(agent_of((hsa_agent_t){handle}) - agents); }

EXPORT int hsa_init(void);
int hsa_init(void) {
  if (atomic_fetch_add(&opened, 1) > 0) return HSA_STATUS_SUCCESS;
  agents[0] = (struct agent){0};
  agent_count = 1;
  return events_open(node_of) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
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

EXPORT void standin_hsa_memory_fault(uint64_t agent, uint64_t page, uint32_t reasons);
void standin_hsa_memory_fault(uint64_t agent, uint64_t page, uint32_t reasons) {
  events_memory_fault(agent, page, reasons, 0);
}

EXPORT void standin_hsa_hang(uint64_t agent);
void standin_hsa_hang(uint64_t agent) { events_hang(agent, 0); }
