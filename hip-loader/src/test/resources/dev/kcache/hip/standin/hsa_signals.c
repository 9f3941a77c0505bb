// SPDX-License-Identifier: Apache-2.0
//
// Signals: a value that waits look at, with the times of the last packet that lowered it. A doorbell is
// one that tells its queue what is stored.
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "hsa.h"

// Nanoseconds.
enum { SLICE = 50000000 };

struct signal {
  struct object object;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int64_t value;
  uint64_t start, end;
  void (*stored)(void *data, int64_t value);  // of a doorbell
  void *data;
};

static void destroy(struct object *object) {
  struct signal *signal = (struct signal *)object;
  pthread_mutex_destroy(&signal->lock);
  pthread_cond_destroy(&signal->changed);
  free(signal);
}

static void end(struct object *object) {
  if (((struct signal *)object)->stored == NULL) count(EVENTS, -1);
}

hsa_handle signal_new(int64_t value, void (*stored)(void *data, int64_t value), void *data) {
  struct signal *signal = calloc(1, sizeof *signal);
  if (signal == NULL) abort();
  signal->object = (struct object){.kind = SIGNAL, .references = 1, .end = end, .destroy = destroy};
  pthread_mutex_init(&signal->lock, NULL);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&signal->changed, &monotonic);
  signal->value = value;
  signal->stored = stored;
  signal->data = data;
  handle_open(&signal->object);
  if (stored == NULL) count(EVENTS, 1);
  return (hsa_handle){(uint64_t)(uintptr_t)signal->object.handle};
}

struct signal *signal_get(hsa_handle signal) {
  int error;
  return handle_get_anywhere(SIGNAL, (void *)(uintptr_t)signal.handle, &error);
}

void signal_close(hsa_handle handle) {
  struct signal *signal = signal_get(handle);
  if (signal == NULL) return;
  handle_retire(&signal->object);
  object_release(signal);
}

static void set(struct signal *signal, int64_t value) {
  pthread_mutex_lock(&signal->lock);
  signal->value = value;
  pthread_cond_broadcast(&signal->changed);
  pthread_mutex_unlock(&signal->lock);
  wait_changed();
}

int64_t signal_value(struct signal *signal) {
  pthread_mutex_lock(&signal->lock);
  int64_t value = signal->value;
  pthread_mutex_unlock(&signal->lock);
  return value;
}

void signal_lower(struct signal *signal, uint64_t start, bool failed) {
  pthread_mutex_lock(&signal->lock);
  signal->value = failed ? -1 : signal->value - 1;
  signal->start = start;
  // No clock is so fine that two packets never share an instant.
  uint64_t now = hsa_now();
  signal->end = start == 0 ? 0 : now > start ? now : start + 1;
  pthread_cond_broadcast(&signal->changed);
  pthread_mutex_unlock(&signal->lock);
  wait_changed();
}

static bool holds(int64_t value, uint32_t condition, int64_t compare) {
  switch (condition) {
    case 0: return value == compare;
    case 1: return value != compare;
    case 2: return value < compare;
    default: return value >= compare;
  }
}

static void later(struct timespec *time, uint64_t nanoseconds) {
  clock_gettime(CLOCK_MONOTONIC, time);
  if (nanoseconds > 1000000000000000ull) nanoseconds = 1000000000000000ull;
  time->tv_sec += (time_t)(nanoseconds / 1000000000);
  time->tv_nsec += (long)(nanoseconds % 1000000000);
  if (time->tv_nsec >= 1000000000) {
    time->tv_sec++;
    time->tv_nsec -= 1000000000;
  }
}

static int64_t wait_until(struct signal *signal, uint32_t condition, int64_t compare,
                          uint64_t timeout) {
  struct timespec end;
  later(&end, timeout);
  pthread_mutex_lock(&signal->lock);
  int error = 0;
  while (!holds(signal->value, condition, compare) && error != ETIMEDOUT) {
    error = pthread_cond_timedwait(&signal->changed, &signal->lock, &end);
  }
  int64_t value = signal->value;
  pthread_mutex_unlock(&signal->lock);
  return value;
}

bool signal_wait_zero(struct signal *signal, atomic_bool *stop) {
  while (!atomic_load(stop)) {
    if (wait_until(signal, 0, 0, 2000000) == 0) return true;
  }
  return false;
}

API(hsa_signal_create, (int64_t value, uint32_t consumers, const hsa_handle *agents, hsa_handle *to),
    (value, consumers, agents, to)) {
  (void)agents;
  if (!hsa_is_initialized()) return HSA_NOT_INITIALIZED;
  if (to == NULL || consumers != 0) return HSA_INVALID_ARGUMENT;
  *to = signal_new(value, NULL, NULL);
  return HSA_SUCCESS;
}

API(hsa_signal_destroy, (hsa_handle signal), (signal)) {
  if (signal.handle == 0) return HSA_INVALID_ARGUMENT;
  struct signal *alive = signal_get(signal);
  if (alive == NULL) return HSA_INVALID_SIGNAL;
  object_release(alive);
  signal_close(signal);
  return HSA_SUCCESS;
}

EXPORT int64_t hsa_signal_load_scacquire(hsa_handle handle);
int64_t hsa_signal_load_scacquire(hsa_handle handle) {
  struct signal *signal = signal_get(handle);
  if (signal == NULL) return 0;
  hsa_refuse_unrung();
  int64_t value = signal_value(signal);
  object_release(signal);
  return value;
}

EXPORT void hsa_signal_store_screlease(hsa_handle handle, int64_t value);
void hsa_signal_store_screlease(hsa_handle handle, int64_t value) {
  struct signal *signal = signal_get(handle);
  if (signal == NULL) return;
  set(signal, value);
  if (signal->stored != NULL) signal->stored(signal->data, value);
  object_release(signal);
}

// Waits, and looks now and then whether that can end at all; gives -1, as after a failure, if not.
static int64_t wait_patiently(struct signal *signal, uint32_t condition, int64_t compare,
                              uint64_t timeout) {
  const uint64_t end = hsa_now() + (timeout < UINT64_MAX / 4 ? timeout : UINT64_MAX / 4);
  while (true) {
    uint64_t now = hsa_now(), left = now < end ? end - now : 0;
    int64_t value = wait_until(signal, condition, compare, left < SLICE ? left : SLICE);
    if (holds(value, condition, compare)) return value;
    if (wait_is_vain()) return -1;
    if (left <= SLICE) return value;
  }
}

EXPORT int64_t hsa_signal_wait_scacquire(hsa_handle handle, uint32_t condition, int64_t compare,
                                         uint64_t timeout, uint32_t state);
int64_t hsa_signal_wait_scacquire(hsa_handle handle, uint32_t condition, int64_t compare,
                                  uint64_t timeout, uint32_t state) {
  (void)state;
  struct signal *signal = signal_get(handle);
  if (signal == NULL) return 0;
  hsa_refuse_unrung();
  int64_t value = wait_patiently(signal, condition, compare, timeout);
  object_release(signal);
  return value;
}

API(hsa_amd_profiling_get_dispatch_time, (hsa_handle agent, hsa_handle handle, uint64_t *time),
    (agent, handle, time)) {
  if (agent_device(agent) == NULL) return HSA_INVALID_AGENT;
  struct signal *signal = signal_get(handle);
  if (signal == NULL) return HSA_INVALID_SIGNAL;
  pthread_mutex_lock(&signal->lock);
  time[0] = signal->start;
  time[1] = signal->end;
  pthread_mutex_unlock(&signal->lock);
  object_release(signal);
  return HSA_SUCCESS;
}
