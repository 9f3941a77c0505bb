// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills. The host's memory is read and written when the operation runs, not when it is
// queued, and carefully: memory that was given back in between is a fault of the device, not a crash.
#include <stdlib.h>
#include <string.h>

#include "standin.h"

enum direction { TO_DEVICE, FROM_DEVICE, ON_DEVICE };

struct copy {
  struct operation operation;
  enum direction direction;
  uint64_t to;
  uint64_t from;
  size_t size;
  void *staged;  // or NULL
};

struct fill {
  struct operation operation;
  uint64_t to;
  size_t count;
  int value;
  int width;  // 1 or 4
};

static void drop(struct operation *operation) { free(operation); }

static void drop_copy(struct operation *operation) {
  free(((struct copy *)operation)->staged);
  free(operation);
}

// Whether a range of addresses is one of a device's; counts a device that isn't the thread's.
static bool owned(uint64_t address, size_t size) {
  struct device *device = memory_device(address);
  if (device == NULL) return false;
  pthread_mutex_lock(&device->lock);
  bool found = memory_at(device, address, size) != NULL;
  pthread_mutex_unlock(&device->lock);
  if (device != this_device()) count(WRONG_DEVICE, 1);
  return found;
}

// Holds the locks of one or two devices, the lower one first.
static void lock_both(struct device *a, struct device *b) {
  struct device *first = a->ordinal <= b->ordinal ? a : b;
  pthread_mutex_lock(&first->lock);
  if (a != b) pthread_mutex_lock(first == a ? &b->lock : &a->lock);
}

static void unlock_both(struct device *a, struct device *b) {
  pthread_mutex_unlock(&a->lock);
  if (a != b) pthread_mutex_unlock(&b->lock);
}

static void run_copy(struct operation *operation) {
  struct copy *copy = (struct copy *)operation;
  struct device *target = memory_device(copy->direction == FROM_DEVICE ? copy->from : copy->to);
  struct device *source = copy->direction == ON_DEVICE ? memory_device(copy->from) : target;
  bool done = false;
  lock_both(target, source);
  void *to = memory_at(target, copy->to, copy->size);
  void *from = memory_at(source, copy->from, copy->size);
  if (copy->direction == TO_DEVICE && to != NULL) {
    done = read_memory((void *)(uintptr_t)copy->from, to, copy->size) == copy->size;
  } else if (copy->direction == FROM_DEVICE && from != NULL) {
    done = write_memory((void *)(uintptr_t)copy->to, from, copy->size) == copy->size;
  } else if (to != NULL && from != NULL) {
    memmove(to, from, copy->size);
    done = true;
  }
  if (!done) device_fault(target, hipErrorIllegalAddress);
  unlock_both(target, source);
}

static int submit(struct operation *operation, void *handle, bool wait) {
  int error;
  struct stream *stream = stream_get(handle, &error);
  if (stream == NULL) {
    operation->drop(operation);
    return error;
  }
  uint64_t sequence = stream_submit(stream, operation);
  if (wait) {
    stream_wait(stream, sequence);
    error = atomic_load(&stream_device(stream)->fault);
  }
  object_release(stream);
  return error;
}

static int copy(enum direction direction, const void *to, const void *from, size_t size,
                void *stream, bool wait) {
  if (size == 0) return hipSuccess;
  if (to == NULL || from == NULL) return hipErrorInvalidValue;
  uint64_t target = (uint64_t)(uintptr_t)to, source = (uint64_t)(uintptr_t)from;
  if (direction != FROM_DEVICE && !owned(target, size)) return hipErrorInvalidValue;
  if (direction != TO_DEVICE && !owned(source, size)) return hipErrorInvalidValue;
  struct copy *copy = malloc(sizeof *copy);
  if (copy == NULL) abort();
  *copy = (struct copy){{.run = run_copy, .drop = drop_copy}, direction, target, source, size, NULL};
#ifdef STAND_IN_CUDA
  // The driver returns when it has read what is not pinned; here that is everything.
  if (direction == TO_DEVICE && wait) {
    copy->staged = malloc(size);
    if (copy->staged == NULL) abort();
    if (read_memory(from, copy->staged, size) != size) abort();
    copy->from = (uint64_t)(uintptr_t)copy->staged;
    wait = false;
  }
#endif
  return submit(&copy->operation, stream, wait);
}

static void run_fill(struct operation *operation) {
  struct fill *fill = (struct fill *)operation;
  struct device *device = memory_device(fill->to);
  pthread_mutex_lock(&device->lock);
  unsigned char *to = memory_at(device, fill->to, fill->count * fill->width);
  if (to == NULL) {
    device_fault(device, hipErrorIllegalAddress);
  } else if (fill->width == 1) {
    memset(to, fill->value, fill->count);
  } else {
    for (size_t i = 0; i < fill->count; i++) memcpy(to + 4 * i, &fill->value, 4);
  }
  pthread_mutex_unlock(&device->lock);
}

static int fill(void *to, int value, size_t count, int width, void *stream, bool wait) {
  if (count == 0) return hipSuccess;
  if (to == NULL || count > SIZE_MAX / width) return hipErrorInvalidValue;
  if (!owned((uint64_t)(uintptr_t)to, count * width)) return hipErrorInvalidValue;
  struct fill *fill = malloc(sizeof *fill);
  if (fill == NULL) abort();
  *fill = (struct fill){
      {.run = run_fill, .drop = drop}, (uint64_t)(uintptr_t)to, count, value, width};
  return submit(&fill->operation, stream, wait);
}

API(hipMemcpyHtoD, (void *to, const void *from, size_t size), (to, from, size)) {
  return copy(TO_DEVICE, to, from, size, NULL, true);
}

API(hipMemcpyDtoH, (void *to, void *from, size_t size), (to, from, size)) {
  return copy(FROM_DEVICE, to, from, size, NULL, true);
}

API(hipMemcpyDtoD, (void *to, void *from, size_t size), (to, from, size)) {
  return copy(ON_DEVICE, to, from, size, NULL, true);
}

API(hipMemcpyHtoDAsync, (void *to, const void *from, size_t size, void *stream),
    (to, from, size, stream)) {
  return copy(TO_DEVICE, to, from, size, stream, false);
}

API(hipMemcpyDtoHAsync, (void *to, void *from, size_t size, void *stream),
    (to, from, size, stream)) {
  return copy(FROM_DEVICE, to, from, size, stream, false);
}

API(hipMemcpyDtoDAsync, (void *to, void *from, size_t size, void *stream),
    (to, from, size, stream)) {
  return copy(ON_DEVICE, to, from, size, stream, false);
}

// Which device (the first) may use the memory of which.
static atomic_bool reached[MAX_DEVICES][MAX_DEVICES];

void peers_reset(void) {
  for (int i = 0; i < MAX_DEVICES * MAX_DEVICES; i++) {
    atomic_store(&reached[i / MAX_DEVICES][i % MAX_DEVICES], false);
  }
}

static bool can_reach(int device, int peer) {
  return device != peer && device_at(device) != NULL && device_at(peer) != NULL &&
         !atomic_load(&modes.apart);
}

API(hipDeviceCanAccessPeer, (int *can, int device, int peer), (can, device, peer)) {
  if (can == NULL) return hipErrorInvalidValue;
  if (device_at(device) == NULL || device_at(peer) == NULL) return hipErrorInvalidDevice;
  *can = can_reach(device, peer);
  return hipSuccess;
}

API(hipDeviceEnablePeerAccess, (int peer, unsigned flags), (peer, flags)) {
  if (flags != 0) return hipErrorInvalidValue;
  if (device_at(peer) == NULL) return hipErrorInvalidDevice;
  if (!can_reach(this_ordinal(), peer)) return hipErrorPeerAccessUnsupported;
  bool before = atomic_exchange(&reached[this_ordinal()][peer], true);
  return before ? hipErrorPeerAccessAlreadyEnabled : hipSuccess;
}

// The real ones also copy between devices that don't reach each other; a caller of ours has to know.
API(hipMemcpyPeerAsync,
    (void *to, int to_device, const void *from, int from_device, size_t size, void *handle),
    (to, to_device, from, from_device, size, handle)) {
  if (size == 0) return hipSuccess;
  uint64_t target = (uint64_t)(uintptr_t)to, source = (uint64_t)(uintptr_t)from;
  struct device *writes = memory_device(target), *reads = memory_device(source);
  if (writes == NULL || reads == NULL) return hipErrorInvalidValue;
  if (writes != device_at(to_device) || reads != device_at(from_device)) {
    count(WRONG_DEVICE, 1);
    return hipErrorInvalidDevice;
  }
  int peer = this_ordinal() == to_device ? from_device : to_device;
  if (this_ordinal() != to_device && this_ordinal() != from_device) count(WRONG_DEVICE, 1);
  if (!atomic_load(&reached[this_ordinal()][peer])) return hipErrorPeerAccessNotEnabled;
  struct copy *copy = malloc(sizeof *copy);
  if (copy == NULL) abort();
  *copy = (struct copy){{.run = run_copy, .drop = drop_copy}, ON_DEVICE, target, source, size, NULL};
  return submit(&copy->operation, handle, false);
}

API(hipMemsetD8, (void *to, unsigned char value, size_t count), (to, value, count)) {
  return fill(to, value, count, 1, NULL, true);
}

API(hipMemsetD8Async, (void *to, unsigned char value, size_t count, void *stream),
    (to, value, count, stream)) {
  return fill(to, value, count, 1, stream, false);
}

API(hipMemsetD32, (void *to, int value, size_t count), (to, value, count)) {
  return fill(to, value, count, 4, NULL, true);
}

API(hipMemsetD32Async, (void *to, int value, size_t count, void *stream),
    (to, value, count, stream)) {
  return fill(to, value, count, 4, stream, false);
}
