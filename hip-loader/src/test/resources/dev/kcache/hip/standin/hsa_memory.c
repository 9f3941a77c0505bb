// SPDX-License-Identifier: Apache-2.0
//
// Memory of pools and copies. A copy engine is a thread that waits for the signals that the copy depends
// on; without `async` the caller is.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hsa.h"

// Memory of the host that devices may use.
struct block {
  struct block *next;
  uint64_t address;
  size_t size;
  bool locked;   // by the caller, who keeps it; else allocated
  bool allowed;  // access was allowed to the devices
  bool kernarg;  // of the pool for the arguments of kernels
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;

static void add(uint64_t address, size_t size, bool locked, bool kernarg) {
  struct block *block = malloc(sizeof *block);
  if (block == NULL) abort();
  pthread_mutex_lock(&lock);
  *block = (struct block){blocks, address, size, locked, locked, kernarg};
  blocks = block;
  pthread_mutex_unlock(&lock);
  count(PINNED_ALLOCATIONS, 1);
  count(PINNED_BYTES, (int64_t)size);
}

// Takes out the block that begins at an address; gives whether there was one.
static bool take(uint64_t address, bool locked, struct block *taken) {
  pthread_mutex_lock(&lock);
  struct block **link = &blocks;
  while (*link != NULL && ((*link)->address != address || (*link)->locked != locked)) {
    link = &(*link)->next;
  }
  struct block *found = *link;
  if (found != NULL) *link = found->next;
  pthread_mutex_unlock(&lock);
  if (found == NULL) return false;
  *taken = *found;
  free(found);
  count(PINNED_ALLOCATIONS, -1);
  count(PINNED_BYTES, -(int64_t)taken->size);
  return true;
}

static bool usable_block(uint64_t address, size_t size, bool kernarg) {
  bool usable = false;
  pthread_mutex_lock(&lock);
  for (struct block *block = blocks; block != NULL && !usable; block = block->next) {
    uint64_t offset = address - block->address;
    usable = block->allowed && (block->kernarg || !kernarg) && offset <= block->size && size <= block->size - offset;
  }
  pthread_mutex_unlock(&lock);
  return usable;
}

bool host_usable(uint64_t address, size_t size) { return usable_block(address, size, false); }

bool kernarg_usable(uint64_t address, size_t size) { return usable_block(address, size, true); }

void hsa_memory_reset(void) {
  struct block block;
  while (blocks != NULL) {
    if (take(blocks->address, blocks->locked, &block) && !block.locked) {
      munmap((void *)(uintptr_t)block.address, block.size);
    }
  }
}

API(hsa_amd_memory_pool_allocate, (hsa_handle pool, size_t size, uint32_t flags, void **to),
    (pool, size, flags, to)) {
  if (to == NULL || size == 0 || flags != 0) return HSA_INVALID_ARGUMENT;
  bool host;
  struct device *device = pool_device(pool, &host);
  if (host) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return HSA_OUT_OF_RESOURCES;
    add((uint64_t)(uintptr_t)memory, size, false, pool_is_kernarg(pool));
    *to = memory;
    return HSA_SUCCESS;
  }
  if (device == NULL) return HSA_INVALID_MEMORY_POOL;
  if (size > device->memory) return HSA_INVALID_ALLOCATION;
  pthread_mutex_lock(&device->lock);
  uint64_t address = memory_allocate(device, size, false);
  pthread_mutex_unlock(&device->lock);
  if (address == 0) return HSA_OUT_OF_RESOURCES;
  count(DEVICE_ALLOCATIONS, 1);
  count(DEVICE_BYTES, (int64_t)size);
  *to = (void *)(uintptr_t)address;
  return HSA_SUCCESS;
}

API(hsa_amd_memory_pool_free, (void *pointer), (pointer)) {
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  struct block block;
  if (take(address, false, &block)) {
    munmap(pointer, block.size);
    return HSA_SUCCESS;
  }
  struct device *device = memory_device(address);
  const struct range *range = NULL;
  if (device != NULL) {
    pthread_mutex_lock(&device->lock);
    range = memory_range(device, address);
    if (range != NULL && (range->address != address || range->global)) range = NULL;
    if (range != NULL) {
      count(DEVICE_ALLOCATIONS, -1);
      count(DEVICE_BYTES, -(int64_t)range->size);
      memory_release(device, address);
    }
    pthread_mutex_unlock(&device->lock);
  }
  if (range == NULL) count(DOUBLE_FREE, 1);
  return range == NULL ? HSA_INVALID_ALLOCATION : HSA_SUCCESS;
}

API(hsa_amd_agents_allow_access,
    (uint32_t number, const hsa_handle *agents, const uint32_t *flags, const void *pointer),
    (number, agents, flags, pointer)) {
  if (number == 0 || agents == NULL || flags != NULL) return HSA_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < number; i++) {
    if (agent_device(agents[i]) == NULL) return HSA_INVALID_AGENT;
  }
  int status = HSA_INVALID_ARGUMENT;
  pthread_mutex_lock(&lock);
  for (struct block *block = blocks; block != NULL; block = block->next) {
    if (block->locked || block->address != (uint64_t)(uintptr_t)pointer) continue;
    block->allowed = true;
    status = HSA_SUCCESS;
  }
  pthread_mutex_unlock(&lock);
  return status;
}

API(hsa_amd_memory_lock,
    (void *host, size_t size, hsa_handle *agents, int number, void **agent_pointer),
    (host, size, agents, number, agent_pointer)) {
  if (host == NULL || size == 0 || agent_pointer == NULL) return HSA_INVALID_ARGUMENT;
  for (int i = 0; i < number; i++) {
    if (agent_device(agents[i]) == NULL) return HSA_INVALID_AGENT;
  }
  add((uint64_t)(uintptr_t)host, size, true, false);
  *agent_pointer = host;
  return HSA_SUCCESS;
}

API(hsa_amd_memory_unlock, (void *host), (host)) {
  struct block block;
  if (take((uint64_t)(uintptr_t)host, true, &block)) return HSA_SUCCESS;
  count(DOUBLE_FREE, 1);
  return HSA_INVALID_ARGUMENT;
}

// ---- copies -------------------------------------------------------------------------------------

struct copy {
  uint64_t to, from;
  size_t size;
  uint32_t number;
  struct signal *dependencies[5];
  struct signal *completion;
};

static atomic_bool stopping;
static atomic_int copying;

// Where the bytes are on the host if they are a device's, whose lock is held then; else NULL.
static void *device_bytes(uint64_t address, size_t size, struct device **device) {
  *device = memory_device(address);
  if (*device == NULL) return NULL;
  pthread_mutex_lock(&(*device)->lock);
  return memory_at(*device, address, size);
}

// Nothing is copied to a dead device, nor from it.
static void wait_if_dead(uint64_t address) {
  struct device *device = memory_device(address);
  if (device != NULL && atomic_load(&device->dead)) wait_for_ever();
}

static bool transfer(const struct copy *copy) {
  wait_if_dead(copy->from);
  wait_if_dead(copy->to);
  struct device *target, *source;
  unsigned char *piece = malloc(copy->size);
  if (piece == NULL) abort();
  bool done = false;
  void *from = device_bytes(copy->from, copy->size, &source);
  if (from != NULL) {
    memcpy(piece, from, copy->size);
    done = true;
  } else if (source == NULL && host_usable(copy->from, copy->size)) {
    done = read_memory((void *)(uintptr_t)copy->from, piece, copy->size) == copy->size;
  }
  if (source != NULL) pthread_mutex_unlock(&source->lock);
  if (done) {
    void *to = device_bytes(copy->to, copy->size, &target);
    done = false;
    if (to != NULL) {
      memcpy(to, piece, copy->size);
      done = true;
    } else if (target == NULL && host_usable(copy->to, copy->size)) {
      done = write_memory((void *)(uintptr_t)copy->to, piece, copy->size) == copy->size;
    }
    if (target != NULL) pthread_mutex_unlock(&target->lock);
  }
  free(piece);
  return done;
}

static void *run(void *argument) {
  struct copy *copy = argument;
  bool ready = true;
  for (uint32_t i = 0; i < copy->number; i++) {
    ready = ready && signal_wait_zero(copy->dependencies[i], &stopping);
    object_release(copy->dependencies[i]);
  }
  uint64_t start = hsa_now();
  if (ready) {
    wait_under_way(1);
    wait_for_start();
    signal_lower(copy->completion, start, !transfer(copy));
    wait_under_way(-1);
  }
  object_release(copy->completion);
  free(copy);
  atomic_fetch_sub(&copying, 1);
  return NULL;
}

static void start_thread(struct copy *copy) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 1 << 18);
  if (pthread_create(&thread, &attributes, run, copy) != 0) abort();
  pthread_attr_destroy(&attributes);
}

static bool knows_side(uint64_t address, hsa_handle agent) {
  struct device *device = memory_device(address);
  return device != NULL ? agent_device(agent) == device : agent_is_cpu(agent);
}

API(hsa_amd_memory_async_copy,
    (void *to, hsa_handle to_agent, const void *from, hsa_handle from_agent, size_t size,
     uint32_t number, const hsa_handle *dependencies, hsa_handle completion),
    (to, to_agent, from, from_agent, size, number, dependencies, completion)) {
  hsa_refuse_unrung();
  uint64_t target = (uint64_t)(uintptr_t)to, source = (uint64_t)(uintptr_t)from;
  if (to == NULL || from == NULL || (number == 0) != (dependencies == NULL) || number > 5) {
    return HSA_INVALID_ARGUMENT;
  }
  if (!knows_side(target, to_agent) || !knows_side(source, from_agent)) {
    count(WRONG_DEVICE, 1);
    return HSA_INVALID_AGENT;
  }
  struct copy *copy = calloc(1, sizeof *copy);
  if (copy == NULL) abort();
  *copy = (struct copy){.to = target, .from = source, .size = size, .number = number};
  copy->completion = signal_get(completion);
  if (copy->completion == NULL || signal_value(copy->completion) != 1) return HSA_INVALID_SIGNAL;
  bool ready = true;
  for (uint32_t i = 0; i < number; i++) {
    copy->dependencies[i] = signal_get(dependencies[i]);
    if (copy->dependencies[i] == NULL) return HSA_INVALID_SIGNAL;
    ready = ready && signal_value(copy->dependencies[i]) == 0;
  }
  atomic_fetch_add(&copying, 1);
  if (ready && !atomic_load(&modes.async)) {
    run(copy);
  } else {
    start_thread(copy);
  }
  return HSA_SUCCESS;
}

void hsa_copies_stop(void);
void hsa_copies_stop(void) {
  atomic_store(&stopping, true);
  while (atomic_load(&copying) > 0) sched_yield();
  atomic_store(&stopping, false);
}
