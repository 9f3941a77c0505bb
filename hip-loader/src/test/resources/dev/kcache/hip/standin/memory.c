// SPDX-License-Identifier: Apache-2.0
//
// Memory of devices, which lies on the host at another place than its addresses say: those are of
// pages that nobody may touch, so that a program which reads one without a copy crashes. And pinned
// memory of the host, which is unmapped when it is freed, with the same intent.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "standin.h"

enum { ALIGNMENT = 256, PACK = 16, FILLED_BELOW = 1 << 20, RUBBISH = 0xcd };

// Address space is handed out round and round, so that an address isn't soon used again.
static uint64_t window_size(const struct device *device) { return 4 * (uint64_t)device->memory; }

void memory_open(struct device *device) {
  device->window_size = window_size(device) + ((uint64_t)1 << 30);
  void *hint = (void *)(uintptr_t)(0x600000000000u + ((uint64_t)device->ordinal << 40));
  void *window = mmap(hint, device->window_size, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (window == MAP_FAILED) abort();
  device->window = (uint64_t)(uintptr_t)window;
  device->next = device->window;
}

static size_t whole_pages(size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }

// A block ends where a page begins that nobody may touch, or less than 16 bytes before: kernels reach
// for 16 aligned bytes at once. What is left of its own pages, before and behind it, stays rubbish.
// Small blocks hold rubbish too at first, as on a device.
static unsigned char *host_allocate(size_t size) {
  size_t room = whole_pages(size);
  unsigned char *base = mmap(NULL, room + PAGE, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return NULL;
  if (mprotect(base + room, PAGE, PROT_NONE) != 0) abort();
  unsigned char *host = base + (room - size) / PACK * PACK;
  unsigned char *end = host + size;
  if (size < FILLED_BELOW) {
    memset(base, RUBBISH, room);
  } else {
    memset(base, RUBBISH, (size_t)(host - base));
    memset(end, RUBBISH, (size_t)(base + room - end));
  }
  return host;
}

static unsigned char *base_of(const struct range *range) {
  return range->host - (whole_pages(range->size) - range->size) / PACK * PACK;
}

static void host_free(const struct range *range) {
  munmap(base_of(range), whole_pages(range->size) + PAGE);
}

static bool is_rubbish(const unsigned char *from, const unsigned char *end) {
  return from == end ||
         (*from == RUBBISH && memcmp(from, from + 1, (size_t)(end - from) - 1) == 0);
}

uint64_t memory_overrun(const struct device *device) {
  for (size_t i = 0; i < device->range_count; i++) {
    const struct range *range = &device->ranges[i];
    const unsigned char *base = base_of(range), *end = range->host + range->size;
    bool intact = is_rubbish(base, range->host) && is_rubbish(end, base + whole_pages(range->size));
    if (!intact) return range->address;
  }
  return 0;
}

void memory_close(struct device *device) {
  for (size_t i = 0; i < device->range_count; i++) host_free(&device->ranges[i]);
  free(device->ranges);
  munmap((void *)(uintptr_t)device->window, device->window_size);
}

// The index of the first range that begins after an address.
static size_t after(const struct device *device, uint64_t address) {
  size_t low = 0, high = device->range_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (device->ranges[middle].address <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

const struct range *memory_range(struct device *device, uint64_t address) {
  size_t index = after(device, address);
  if (index == 0) return NULL;
  const struct range *range = &device->ranges[index - 1];
  return address - range->address < range->size ? range : NULL;
}

void *memory_at(struct device *device, uint64_t address, size_t size) {
  const struct range *range = memory_range(device, address);
  if (range == NULL || size > range->size - (address - range->address)) return NULL;
  return range->host + (address - range->address);
}

struct device *memory_device(uint64_t address) {
  for (int i = 0; i < device_count(); i++) {
    struct device *device = device_at(i);
    if (address - device->window < device->window_size) return device;
  }
  return NULL;
}

// Finds room from device->next on, once around the window; 0 if there is none.
static uint64_t find_room(struct device *device, size_t room) {
  for (int round = 0; round < 2; round++) {
    for (size_t index = after(device, device->next);; index++) {
      uint64_t end = index < device->range_count ? device->ranges[index].address
                                                 : device->window + device->window_size;
      const struct range *before = index > 0 ? &device->ranges[index - 1] : NULL;
      uint64_t begin = device->next;
      if (before != NULL && before->address + before->size > begin) {
        begin = before->address + before->size;
      }
      begin = (begin + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
      if (begin <= end && end - begin >= room) return begin;
      if (index >= device->range_count) break;
    }
    device->next = device->window;
  }
  return 0;
}

static void insert(struct device *device, struct range range) {
  if (device->range_count == device->range_capacity) {
    device->range_capacity = device->range_capacity == 0 ? 64 : device->range_capacity * 2;
    device->ranges = realloc(device->ranges, device->range_capacity * sizeof *device->ranges);
    if (device->ranges == NULL) abort();
  }
  size_t index = after(device, range.address);
  memmove(device->ranges + index + 1, device->ranges + index,
          (device->range_count - index) * sizeof *device->ranges);
  device->ranges[index] = range;
  device->range_count++;
}

uint64_t memory_allocate(struct device *device, size_t size, bool global) {
  if (size > device->memory - device->used) return 0;
  uint64_t address = find_room(device, size);
  unsigned char *host = address == 0 ? NULL : host_allocate(size);
  if (host == NULL) return 0;
  insert(device, (struct range){address, size, host, global});
  device->next = address + size;
  device->used += size;
  return address;
}

void memory_release(struct device *device, uint64_t address) {
  size_t index = after(device, address) - 1;
  device->used -= device->ranges[index].size;
  host_free(&device->ranges[index]);
  device->range_count--;
  memmove(device->ranges + index, device->ranges + index + 1,
          (device->range_count - index) * sizeof *device->ranges);
}

API(hipMalloc, (void **pointer, size_t size), (pointer, size)) {
  if (pointer == NULL) return hipErrorInvalidValue;
  *pointer = NULL;
  if (size == 0) return hipSuccess;
  struct device *device = this_device();
  pthread_mutex_lock(&device->lock);
  uint64_t address = memory_allocate(device, size, false);
  pthread_mutex_unlock(&device->lock);
  if (address == 0) return hipErrorOutOfMemory;
  count(DEVICE_ALLOCATIONS, 1);
  count(DEVICE_BYTES, size);
  *pointer = (void *)(uintptr_t)address;
  return hipSuccess;
}

// Frees a block that a program allocated, once nothing runs that may use it.
static int free_block(struct device *device, uint64_t address) {
  int error = hipErrorInvalidValue;
  pthread_mutex_lock(&device->lock);
  const struct range *range = memory_range(device, address);
  if (range == NULL) {
    count(DOUBLE_FREE, 1);
  } else if (range->address == address && !range->global) {
    count(DEVICE_ALLOCATIONS, -1);
    count(DEVICE_BYTES, -(int64_t)range->size);
    memory_release(device, address);
    error = hipSuccess;
  }
  pthread_mutex_unlock(&device->lock);
  return error;
}

// Gives the device of a block that is about to be freed, or NULL.
static struct device *owner(void *pointer) {
  struct device *device = memory_device((uint64_t)(uintptr_t)pointer);
  if (device != NULL && device != this_device()) count(WRONG_DEVICE, 1);
  return device;
}

API(hipFree, (void *pointer), (pointer)) {
  if (pointer == NULL) return hipSuccess;
  struct device *device = owner(pointer);
  if (device == NULL) return hipErrorInvalidValue;
  device_drain(device);
  return free_block(device, (uint64_t)(uintptr_t)pointer);
}

API(hipMallocAsync, (void **pointer, size_t size, void *handle), (pointer, size, handle)) {
  if (pointer == NULL) return hipErrorInvalidValue;
  int error;
  struct stream *stream = stream_get(handle, &error);
  if (stream == NULL) return error;
  error = hipMalloc_body(pointer, size);
  object_release(stream);
  return error;
}

struct freeing {
  struct operation operation;
  struct device *device;
  uint64_t address;
};

static void run_freeing(struct operation *operation) {
  struct freeing *freeing = (struct freeing *)operation;
  free_block(freeing->device, freeing->address);
}

static void drop(struct operation *operation) { free(operation); }

API(hipFreeAsync, (void *pointer, void *handle), (pointer, handle)) {
  int error;
  struct stream *stream = stream_get(handle, &error);
  if (stream == NULL) return error;
  struct device *device = pointer == NULL ? NULL : owner(pointer);
  if (device != NULL) {
    struct freeing *freeing = calloc(1, sizeof *freeing);
    if (freeing == NULL) abort();
    *freeing = (struct freeing){
        {.run = run_freeing, .drop = drop}, device, (uint64_t)(uintptr_t)pointer};
    stream_submit(stream, &freeing->operation);
  }
  object_release(stream);
  return device == NULL ? hipErrorInvalidValue : hipSuccess;
}

API(hipMemGetInfo, (size_t *unused, size_t *total), (unused, total)) {
  struct device *device = this_device();
  pthread_mutex_lock(&device->lock);
  if (unused != NULL) *unused = device->memory - device->used;
  if (total != NULL) *total = device->memory;
  pthread_mutex_unlock(&device->lock);
  return hipSuccess;
}

// ---- pinned memory ------------------------------------------------------------------------------

struct pinned {
  struct pinned *next;
  void *pointer;
  size_t size;
};

static pthread_mutex_t pinning = PTHREAD_MUTEX_INITIALIZER;
static struct pinned *all_pinned;

API(hipHostMalloc, (void **pointer, size_t size, unsigned flags), (pointer, size, flags)) {
  if (pointer == NULL || (flags & ~0xe0000007u) != 0) return hipErrorInvalidValue;
  *pointer = NULL;
  if (size == 0) return hipSuccess;
  void *host = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (host == MAP_FAILED) return hipErrorOutOfMemory;
  struct pinned *pinned = malloc(sizeof *pinned);
  if (pinned == NULL) abort();
  pthread_mutex_lock(&pinning);
  *pinned = (struct pinned){all_pinned, host, size};
  all_pinned = pinned;
  pthread_mutex_unlock(&pinning);
  count(PINNED_ALLOCATIONS, 1);
  count(PINNED_BYTES, size);
  *pointer = host;
  return hipSuccess;
}

static struct pinned *unlink_pinned(const void *pointer) {
  pthread_mutex_lock(&pinning);
  struct pinned **link = &all_pinned;
  while (*link != NULL && (*link)->pointer != pointer) link = &(*link)->next;
  struct pinned *found = *link;
  if (found != NULL) *link = found->next;
  pthread_mutex_unlock(&pinning);
  return found;
}

static void free_pinned(struct pinned *pinned) {
  munmap(pinned->pointer, pinned->size);
  free(pinned);
}

API(hipHostFree, (void *pointer), (pointer)) {
  if (pointer == NULL) return hipSuccess;
  device_drain(this_device());
  struct pinned *pinned = unlink_pinned(pointer);
  if (pinned == NULL) {
    count(DOUBLE_FREE, 1);
    return hipErrorInvalidValue;
  }
  count(PINNED_ALLOCATIONS, -1);
  count(PINNED_BYTES, -(int64_t)pinned->size);
  free_pinned(pinned);
  return hipSuccess;
}

void pinned_reset(void) {
  while (all_pinned != NULL) free_pinned(unlink_pinned(all_pinned->pointer));
}
