// SPDX-License-Identifier: Apache-2.0
//
// The runtime and its agents: a CPU, and a GPU for each device that ROCR_VISIBLE_DEVICES leaves.
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "hsa.h"
#include "hsa_events.h"

enum { CPU_SHIFT = 8, POOL_SHIFT = 4, COARSE = 1, GROUP = 2, FINE = 3, KERNARG = 4, ISA_SHIFT = 32 };

// Agents of another reset are others.
static atomic_ulong epoch = 1;
static atomic_int initialized;

void hsa_copies_stop(void);
void hsa_reset(void);

// Ends what is under way, then makes everything as it was after hsa_init.
void hsa_reset(void) {
  hsa_copies_stop();
  hsa_queues_reset();
  hsa_memory_reset();
  hsa_waits_reset();
  atomic_fetch_add(&epoch, 1);
}

bool hsa_is_initialized(void) { return atomic_load(&initialized) > 0; }

uint64_t hsa_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ull + now.tv_nsec;
}

// The agent of a number: 0 is the CPU, the GPUs follow.
static hsa_handle agent_of(int number) {
  return (hsa_handle){atomic_load(&epoch) << 16 | (uint64_t)(number + 1) << CPU_SHIFT};
}

static int number_of(hsa_handle agent) {
  bool ours = agent.handle >> 16 == atomic_load(&epoch) && (agent.handle & 0xff) == 0;
  int number = (int)(agent.handle >> CPU_SHIFT & 0xff) - 1;
  return ours && number <= device_count() ? number : -1;
}

bool agent_is_cpu(hsa_handle agent) { return number_of(agent) == 0; }

struct device *agent_device(hsa_handle agent) {
  int number = number_of(agent);
  return number > 0 ? device_at(number - 1) : NULL;
}

uint64_t agent_of_device(const struct device *device) {
  return agent_of(device->ordinal + 1).handle;
}

static int node_of(uint64_t agent) { return number_of((hsa_handle){agent}); }

API(hsa_init, (void), ()) {
  if (device_count() == 0 || !events_open(node_of)) return HSA_OUT_OF_RESOURCES;
  atomic_fetch_add(&initialized, 1);
  return HSA_SUCCESS;
}

static int put(void *to, const void *from, size_t size) {
  memcpy(to, from, size);
  return HSA_SUCCESS;
}

static int put32(void *to, uint32_t value) { return put(to, &value, sizeof value); }
static int put64(void *to, uint64_t value) { return put(to, &value, sizeof value); }

API(hsa_system_get_info, (uint32_t attribute, void *value), (attribute, value)) {
  if (!hsa_is_initialized()) return HSA_NOT_INITIALIZED;
  switch (attribute) {
    case 2: return put64(value, hsa_now());
    case 3: return put64(value, 1000000000);
    default: return HSA_INVALID_ARGUMENT;
  }
}

typedef int (*agent_callback)(hsa_handle agent, void *data);

API(hsa_iterate_agents, (agent_callback callback, void *data), (callback, data)) {
  if (!hsa_is_initialized()) return HSA_NOT_INITIALIZED;
  for (int i = 0; i <= device_count(); i++) {
    int status = callback(agent_of(i), data);
    if (status != HSA_SUCCESS) return status;
  }
  return HSA_SUCCESS;
}

static int put_text(void *to, const char *text, size_t size) {
  memset(to, 0, size);
  snprintf(to, size, "%s", text);
  return HSA_SUCCESS;
}

static int put_uuid(const struct device *device, void *to) {
  char text[21];
  bool none = strspn(device->uuid, "0") == 16;
  snprintf(text, sizeof text, "GPU-%.16s", none ? "XX" : device->uuid);
  return put_text(to, text, sizeof text);
}

static int gpu_info(const struct device *device, hsa_handle agent, uint32_t attribute, void *value) {
  switch (attribute) {
    case 0: return put_text(value, device->target.processor, 64);
    case 2: return put32(value, 1);
    case 6: return put32(value, device->wave);
    case 7: return put(value, (uint16_t[]){1024, 1024, 1024}, 6);
    case 8: return put32(value, MAX_BLOCK_THREADS);
    case 9: return put(value, (uint32_t[]){UINT32_MAX, UINT32_MAX, UINT32_MAX}, 12);
    case 13: return put32(value, 64);
    case 14: return put32(value, 131072);
    case 17: return put32(value, 1);
    case 18: return put(value, (uint32_t[]){16384, 8 << 20, 0, 0}, 16);
    case 19: return put64(value, agent.handle | (uint64_t)1 << ISA_SHIFT);
    case 0xa002: return put32(value, device->units);
    case 0xa003: return put32(value, 1700);
    case 0xa006: return put32(value, device->bus << 8);
    case 0xa009: return put_text(value, device->name, 64);
    case 0xa00a: return put32(value, 2048 / device->wave);
    case 0xa00f: return put32(value, device->domain);
    case 0xa011: return put_uuid(device, value);
#if STAND_IN_MAJOR >= 6
    case 0xa015: return put64(value, device->memory - device->used);
    case 0xa114: return put64(value, 0);
#endif
    default: return HSA_INVALID_ARGUMENT;
  }
}

API(hsa_agent_get_info, (hsa_handle agent, uint32_t attribute, void *value),
    (agent, attribute, value)) {
  if (!hsa_is_initialized()) return HSA_NOT_INITIALIZED;
  struct device *device = agent_device(agent);
  if (device != NULL) return gpu_info(device, agent, attribute, value);
  if (!agent_is_cpu(agent)) return HSA_INVALID_AGENT;
  switch (attribute) {
    case 2:
    case 17: return put32(value, 0);
    default: return HSA_INVALID_ARGUMENT;
  }
}

API(hsa_isa_get_info_alt, (hsa_handle isa, uint32_t attribute, void *value),
    (isa, attribute, value)) {
  struct device *device = agent_device((hsa_handle){isa.handle & ~((uint64_t)1 << ISA_SHIFT)});
  if (device == NULL || attribute != 1) return HSA_INVALID_ARGUMENT;
  char text[128];
  snprintf(text, sizeof text, "amdgcn-amd-amdhsa--%s", device->arch);
  return put_text(value, text, strlen(text) + 1);
}

// ---- pools --------------------------------------------------------------------------------------

static hsa_handle pool_of(hsa_handle agent, int kind) {
  return (hsa_handle){agent.handle << POOL_SHIFT | (uint64_t)kind};
}

static int pool_kind(hsa_handle pool) { return (int)(pool.handle & 15); }

static hsa_handle pool_agent(hsa_handle pool) {
  return (hsa_handle){pool.handle >> POOL_SHIFT};
}

struct device *pool_device(hsa_handle pool, bool *host) {
  int kind = pool_kind(pool);
  *host = agent_is_cpu(pool_agent(pool)) && (kind == FINE || kind == KERNARG);
  return kind == COARSE ? agent_device(pool_agent(pool)) : NULL;
}

bool pool_is_kernarg(hsa_handle pool) { return pool_kind(pool) == KERNARG; }

API(hsa_amd_agent_iterate_memory_pools, (hsa_handle agent, agent_callback callback, void *data),
    (agent, callback, data)) {
  if (number_of(agent) < 0) return HSA_INVALID_AGENT;
  int first = agent_is_cpu(agent) ? FINE : COARSE;
  int status = callback(pool_of(agent, first), data);
  return status != HSA_SUCCESS ? status : callback(pool_of(agent, first + 1), data);
}

API(hsa_amd_memory_pool_get_info, (hsa_handle pool, uint32_t attribute, void *value),
    (pool, attribute, value)) {
  int kind = pool_kind(pool);
  const struct device *device = agent_device(pool_agent(pool));
  if (device == NULL && !agent_is_cpu(pool_agent(pool))) return HSA_INVALID_MEMORY_POOL;
  static const uint32_t flags[] = {[COARSE] = 4, [FINE] = 2, [KERNARG] = 3};
  switch (attribute) {
    case 0: return put32(value, kind == GROUP ? 3 : 0);
    case 1: return kind == GROUP ? HSA_INVALID_ARGUMENT : put32(value, flags[kind]);
    case 2: return put64(value, kind == GROUP ? LDS_BYTES : device != NULL ? device->memory : 1ull << 36);
    case 5: return put(value, &(bool){kind != GROUP}, 1);
    default: return HSA_INVALID_ARGUMENT;
  }
}
