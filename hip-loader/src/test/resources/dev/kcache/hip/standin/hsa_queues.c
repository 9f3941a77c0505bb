// SPDX-License-Identifier: Apache-2.0
//
// Queues and the processor of their packets: a thread for each with `async`, else whoever rings the
// doorbell. The processor takes a packet as soon as it is valid, even before the doorbell, as a device
// may; every byte of it is checked. With `eager` it looks all the time, so that it sees a packet that
// becomes valid before it is whole: what is not written yet is rubbish. After an error the queue is suspended and its callback called.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsa.h"

enum { PACKET = 64, INVALID = 1, KERNEL = 2, BARRIER_AND = 3, RUBBISH = 0xa5 };

// Marks a packet, in its reserved field, that is the stand-in's own.
enum { FOREIGN = 0xf04e };

// Barrier, and fences of the whole system.
enum { IN_ORDER = 1 << 8 | 2 << 9 | 2 << 11 };

typedef void (*error_callback)(int status, void *queue, void *data);

// The first 40 bytes are what a program sees.
struct queue {
  uint32_t type, features;
  unsigned char *base;
  hsa_handle doorbell;
  uint32_t size, reserved;
  uint64_t id;

  struct queue *next;
  struct device *device;
  error_callback callback;
  void *data;
  bool profiled;
  pthread_mutex_t lock;
  pthread_cond_t rung;
  atomic_ullong write_index, read_index;
  atomic_ullong finished;  // how many packets are done
  int64_t bell;  // the last value of the doorbell
  atomic_bool stop;
  bool suspended;
  bool threaded;
  pthread_t thread;
};

// What befalls the next launch's packet: 16 of its bits change, or its queue fails with a status. So it
// does at the next foreign packet with another.
static atomic_int mangled_offset = -1, mangled_value, next_error, foreign_error;

// The queue in which the thread took a packet for which it has not rung yet.
static _Thread_local const struct queue *unrung;

EXPORT void standin_mangle(int offset, int value);
void standin_mangle(int offset, int value) {
  atomic_store(&mangled_value, value);
  atomic_store(&mangled_offset, offset);
}

EXPORT void standin_fail_packet(int status);
void standin_fail_packet(int status) { atomic_store(&next_error, status); }

EXPORT void standin_fail_foreign(int status);
void standin_fail_foreign(int status) { atomic_store(&foreign_error, status); }

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static struct queue *all;
static uint64_t last_id;

static struct queue *find(const void *address) {
  pthread_mutex_lock(&table);
  struct queue *queue = all;
  while (queue != NULL && queue != address) queue = queue->next;
  pthread_mutex_unlock(&table);
  if (queue == NULL) count(USE_AFTER_FREE, 1);
  return queue;
}

static uint64_t u64(const unsigned char *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

// Lowers the completion signal of a packet, which it may lack.
static bool complete(const struct queue *queue, const unsigned char *packet, uint64_t start) {
  hsa_handle handle = {u64(packet + 56)};
  if (handle.handle == 0) return true;
  struct signal *signal = signal_get(handle);
  if (signal == NULL) return false;
  signal_lower(signal, queue->profiled ? start : 0, false);
  object_release(signal);
  return true;
}

static int run_kernel(struct queue *queue, const unsigned char *packet) {
  const char *wrong;
  struct launch *launch = launch_of_packet(packet, queue, &wrong);
  if (wrong != NULL) fprintf(stderr, "stand-in: a packet has wrong %s\n", wrong);
  int status = wrong == NULL ? HSA_SUCCESS : HSA_INVALID_PACKET_FORMAT;
  if (launch == NULL) return status;
  struct function *function = launch->function;
  if (launch->device != queue->device) status = HSA_INVALID_PACKET_FORMAT;
  if (status == HSA_SUCCESS) {
    count(LAUNCHES, 1);
    image_check_quickly(module_image(function->module));
    module_in_flight(function->module, 1);
    launch_remember(launch, queue);
    wait_under_way(1);
    pthread_mutex_lock(&queue->device->lock);
    if (function->body != NULL) function->body(launch);
    // An error of this queue, which others do not see.
    if (atomic_exchange(&queue->device->fault, hipSuccess) != hipSuccess) {
      status = faults_trap() ? HSA_EXCEPTION : HSA_APERTURE_VIOLATION;
    }
    pthread_mutex_unlock(&queue->device->lock);
    wait_under_way(-1);
    module_in_flight(function->module, -1);
  }
  object_release(function);
  free(launch);
  return status;
}

static int run_barrier(struct queue *queue, const unsigned char *packet) {
  if (packet[2] != 0 || packet[3] != 0 || packet[4] != 0 || u64(packet + 48) != 0) {
    fputs("stand-in: a barrier packet has something in a reserved field\n", stderr);
    return HSA_INVALID_PACKET_FORMAT;
  }
  for (int i = 0; i < 5; i++) {
    hsa_handle handle = {u64(packet + 8 + 8 * i)};
    if (handle.handle == 0) continue;
    struct signal *signal = signal_get(handle);
    if (signal == NULL) return HSA_INVALID_PACKET_FORMAT;
    bool zero = signal_value(signal) == 0 || signal_wait_zero(signal, &queue->stop);
    object_release(signal);
    if (!zero) return HSA_INFO_BREAK;
  }
  return HSA_SUCCESS;
}

// Runs one packet; gives HSA_INFO_BREAK if the queue ended meanwhile.
static int run_packet(struct queue *queue, const unsigned char *packet, uint64_t start) {
  uint16_t header = (uint16_t)(packet[0] | packet[1] << 8);
  if (u64(packet + 48) == FOREIGN) {
    atomic_fetch_add(&queue->finished, 1);
    return atomic_exchange(&foreign_error, HSA_SUCCESS);
  }
  int error = packet[0] == KERNEL ? atomic_exchange(&next_error, HSA_SUCCESS) : HSA_SUCCESS;
  if (error != HSA_SUCCESS) return error;
  int status = HSA_INVALID_PACKET_FORMAT;
  if (header == (KERNEL | IN_ORDER)) {
    status = run_kernel(queue, packet);
  } else if (header == (BARRIER_AND | IN_ORDER)) {
    status = run_barrier(queue, packet);
  }
  if (status != HSA_SUCCESS) return status;
  atomic_fetch_add(&queue->finished, 1);
  return complete(queue, packet, start) ? HSA_SUCCESS : HSA_INVALID_PACKET_FORMAT;
}

static unsigned char *slot(const struct queue *queue, uint64_t index) {
  return queue->base + (index & (queue->size - 1)) * PACKET;
}

static bool is_valid(const unsigned char *packet) {
  uint32_t first = atomic_load_explicit((const _Atomic uint32_t *)(const void *)packet,
                                        memory_order_acquire);
  return (first & 0xff) != INVALID;
}

static void fail(struct queue *queue, int status) {
  queue->suspended = true;
  if (queue->callback != NULL) queue->callback(status, queue, queue->data);
}

// Takes one packet, if there is a valid one; gives whether there was.
static bool step(struct queue *queue) {
  uint64_t index = atomic_load(&queue->read_index);
  unsigned char *at = slot(queue, index);
  if (queue->suspended || atomic_load(&queue->device->dead)) return false;
  if (index >= atomic_load(&queue->write_index) || !is_valid(at)) return false;
  unsigned char packet[PACKET];
  memcpy(packet, at, PACKET);
  if (packet[0] == KERNEL && atomic_load(&mangled_offset) >= 0) {
    uint16_t value = (uint16_t)atomic_load(&mangled_value);
    memcpy(packet + atomic_exchange(&mangled_offset, -1), &value, sizeof value);
  }
  uint64_t start = hsa_now();
  wait_under_way(1);
  wait_for_start();
  wait_under_way(-1);
  // The slot is the program's again once the index is past it.
  memset(at + 4, RUBBISH, PACKET - 4);
  atomic_store_explicit((_Atomic uint32_t *)(void *)at, INVALID, memory_order_release);
  atomic_store(&queue->read_index, index + 1);
  int status = run_packet(queue, packet, start);
  wait_changed();
  if (status == HSA_SUCCESS || status == HSA_INFO_BREAK) return status == HSA_SUCCESS;
  bool kernels = status == HSA_APERTURE_VIOLATION || status == HSA_EXCEPTION;
  if (!kernels) count(FAULTS, 1);  // a kernel's was counted
  fail(queue, status);
  return false;
}

static void *work(void *argument) {
  struct queue *queue = argument;
  while (!atomic_load(&queue->stop)) {
    if (step(queue) || atomic_load(&modes.eager)) continue;
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 500000;
    if (soon.tv_nsec >= 1000000000) {
      soon.tv_nsec -= 1000000000;
      soon.tv_sec++;
    }
    pthread_mutex_lock(&queue->lock);
    bool more = queue->bell >= (int64_t)atomic_load(&queue->read_index) && !queue->suspended;
    if (!more) pthread_cond_timedwait(&queue->rung, &queue->lock, &soon);
    pthread_mutex_unlock(&queue->lock);
  }
  return NULL;
}

static void start(struct queue *queue) {
  queue->threaded = true;
  if (pthread_create(&queue->thread, NULL, work, queue) != 0) abort();
}

// The doorbell says which packet is the last one that was taken, and that one must be there. A wrong one
// fails the queue, where a real device would wait.
static void ring(void *data, int64_t value) {
  struct queue *queue = data;
  if (unrung == queue) unrung = NULL;
  if ((uint64_t)value + 1 != atomic_load(&queue->write_index)) {
    fprintf(stderr, "stand-in: a doorbell rings for packet %lld, which is not the last one\n",
            (long long)value);
    count(USE_AFTER_FREE, 1);
    fail(queue, HSA_INVALID_ARGUMENT);
    return;
  }
  bool there = (uint64_t)value < atomic_load(&queue->read_index) || is_valid(slot(queue, (uint64_t)value)) ||
               queue->threaded;
  if (!there) {
    fputs("stand-in: a doorbell rings for a packet that is not valid\n", stderr);
    count(USE_AFTER_FREE, 1);
  }
  pthread_mutex_lock(&queue->lock);
  if (value > queue->bell) queue->bell = value;
  if (!queue->threaded && atomic_load(&modes.async)) start(queue);
  bool threaded = queue->threaded;
  pthread_cond_broadcast(&queue->rung);
  pthread_mutex_unlock(&queue->lock);
  while (!threaded && step(queue)) {
  }
}

API(hsa_queue_create,
    (hsa_handle agent, uint32_t size, uint32_t type, error_callback callback, void *data,
     uint32_t private_size, uint32_t group_size, void **to),
    (agent, size, type, callback, data, private_size, group_size, to)) {
  struct device *device = agent_device(agent);
  if (device == NULL) return HSA_INVALID_AGENT;
  bool known = size >= 64 && size <= 131072 && (size & (size - 1)) == 0 && type <= 1 && to != NULL;
  if (!known || private_size != UINT32_MAX || group_size != UINT32_MAX) return HSA_INVALID_ARGUMENT;
  struct queue *queue = calloc(1, sizeof *queue);
  void *base = NULL;
  if (queue == NULL || posix_memalign(&base, PACKET, size * PACKET) != 0) abort();
  memset(base, RUBBISH, size * PACKET);
  for (uint32_t i = 0; i < size; i++) memcpy((char *)base + i * PACKET, &(uint32_t){INVALID}, 4);
  *queue = (struct queue){.type = type, .features = 1, .base = base, .size = size};
  queue->device = device;
  queue->callback = callback;
  queue->data = data;
  queue->bell = -1;
  pthread_mutex_init(&queue->lock, NULL);
  pthread_cond_init(&queue->rung, NULL);
  queue->doorbell = signal_new(-1, ring, queue);
  pthread_mutex_lock(&table);
  queue->id = ++last_id;
  queue->next = all;
  all = queue;
  pthread_mutex_unlock(&table);
  count(STREAMS, 1);
  *to = queue;
  if (atomic_load(&modes.eager)) start(queue);
  return HSA_SUCCESS;
}

static void unlink_queue(struct queue *queue) {
  pthread_mutex_lock(&table);
  struct queue **link = &all;
  while (*link != queue) link = &(*link)->next;
  *link = queue->next;
  pthread_mutex_unlock(&table);
}

static void end(struct queue *queue) {
  unlink_queue(queue);
  atomic_store(&queue->stop, true);
  if (queue->threaded) pthread_join(queue->thread, NULL);
  signal_close(queue->doorbell);
  free(queue->base);
  pthread_mutex_destroy(&queue->lock);
  pthread_cond_destroy(&queue->rung);
  free(queue);
  count(STREAMS, -1);
}

API(hsa_queue_destroy, (void *address), (address)) {
  struct queue *queue = find(address);
  if (queue == NULL) return HSA_INVALID_QUEUE;
  if (atomic_load(&queue->device->dead)) wait_for_ever();
  bool busy = !queue->suspended && atomic_load(&queue->finished) < atomic_load(&queue->write_index);
  if (busy) count(UNLOADED_IN_FLIGHT, 1);
  end(queue);
  return HSA_SUCCESS;
}

void hsa_queues_reset(void) {
  while (all != NULL) end(all);
  standin_fail_foreign(HSA_SUCCESS);
}

void hsa_queues_fail(void) {
  pthread_mutex_lock(&table);
  struct queue *queue = all;
  pthread_mutex_unlock(&table);
  for (; queue != NULL; queue = queue->next) {
    if (!queue->suspended) fail(queue, HSA_ERROR);
  }
}

void hsa_refuse_unrung(void) {
  struct queue *queue = unrung == NULL ? NULL : find(unrung);
  unrung = NULL;
  if (queue == NULL) return;
  fputs("stand-in: nobody rang the doorbell for a packet\n", stderr);
  count(USE_AFTER_FREE, 1);
  fail(queue, HSA_INVALID_ARGUMENT);
}

// Puts a packet into a queue that is not the program's, as a profiler may.
static void add_foreign(struct queue *queue) {
  uint64_t index = atomic_fetch_add(&queue->write_index, 1);
  unsigned char *at = slot(queue, index);
  memset(at + 4, 0, PACKET - 4);
  memcpy(at + 48, &(uint64_t){FOREIGN}, 8);
  atomic_store_explicit((_Atomic uint32_t *)(void *)at, BARRIER_AND | IN_ORDER, memory_order_release);
}

EXPORT uint64_t hsa_queue_add_write_index_relaxed(void *address, uint64_t value);
uint64_t hsa_queue_add_write_index_relaxed(void *address, uint64_t value) {
  struct queue *queue = find(address);
  if (queue == NULL) return 0;
  hsa_refuse_unrung();
  wait_changed();
  bool room = atomic_load(&queue->write_index) + 2 - atomic_load(&queue->read_index) <= queue->size;
  if (atomic_load(&modes.foreign) && room) add_foreign(queue);
  unrung = queue;
  uint64_t index = atomic_fetch_add(&queue->write_index, value);
  if (index + value - atomic_load(&queue->read_index) > queue->size) {
    fputs("stand-in: more packets are taken than a queue has\n", stderr);
    count(USE_AFTER_FREE, 1);
  }
  return index;
}

EXPORT uint64_t hsa_queue_load_read_index_scacquire(const void *address);
uint64_t hsa_queue_load_read_index_scacquire(const void *address) {
  struct queue *queue = find(address);
  return queue == NULL ? 0 : atomic_load(&queue->read_index);
}

API(hsa_amd_profiling_set_profiler_enabled, (void *address, int on), (address, on)) {
  struct queue *queue = find(address);
  if (queue == NULL) return HSA_INVALID_QUEUE;
  queue->profiled = on != 0;
  return HSA_SUCCESS;
}
