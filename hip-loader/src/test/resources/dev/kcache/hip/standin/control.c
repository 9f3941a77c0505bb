// SPDX-License-Identifier: Apache-2.0
//
// How a test sets the stand-in up and looks at what it counted. The functions are for a test that
// has the library in its own process; the environment variable KCACHE_STAND_IN serves the others.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "standin.h"
#ifdef STAND_IN_CUDA
#include "cuda.h"
#endif

static atomic_llong counters[COUNTER_COUNT];
struct modes modes;

static pthread_mutex_t holding = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t let_go = PTHREAD_COND_INITIALIZER;

void calls_reset(void);
#ifdef STAND_IN_HSA
void hsa_reset(void);
#endif

void count(enum counter counter, int64_t by) {
  atomic_fetch_add_explicit(&counters[counter], by, memory_order_relaxed);
}

// Fills in all counters, in the order of COUNTERS; gives their number.
EXPORT int standin_counters(int64_t *values);
int standin_counters(int64_t *values) {
  for (int i = 0; i < COUNTER_COUNT; i++) values[i] = atomic_load(&counters[i]);
  return COUNTER_COUNT;
}

EXPORT void standin_async(int on);
void standin_async(int on) { atomic_store(&modes.async, on != 0); }

EXPORT void standin_interfere(int on);
void standin_interfere(int on) { atomic_store(&modes.interfere, on != 0); }

EXPORT void standin_contextual(int on);
void standin_contextual(int on) { atomic_store(&modes.contextual, on != 0); }

EXPORT void standin_apart(int on);
void standin_apart(int on) { atomic_store(&modes.apart, on != 0); }

EXPORT void standin_delay(int64_t microseconds);
void standin_delay(int64_t microseconds) { atomic_store(&modes.delay, microseconds); }

// Lets no stream's thread start another operation, until it is called with 0: launches stay in
// flight for as long as a test needs.
EXPORT void standin_hold(int on);
void standin_hold(int on) {
  pthread_mutex_lock(&holding);
  atomic_store(&modes.held, on != 0);
  pthread_cond_broadcast(&let_go);
  pthread_mutex_unlock(&holding);
}

void wait_for_start(void) {
  if (atomic_load(&modes.held)) {
    pthread_mutex_lock(&holding);
    while (atomic_load(&modes.held)) pthread_cond_wait(&let_go, &holding);
    pthread_mutex_unlock(&holding);
  }
  long delay = atomic_load(&modes.delay);
  if (delay > 0) {
    nanosleep(&(struct timespec){delay / 1000000, delay % 1000000 * 1000}, NULL);
  }
}

static void apply(const char *settings, const char *key, void (*set)(int64_t value)) {
  size_t length = strlen(key);
  for (const char *at = settings; at != NULL; at = strchr(at, ';')) {
    if (*at == ';') at++;
    if (strncmp(at, key, length) == 0 && at[length] == '=') {
      set(strtoll(at + length + 1, NULL, 10));
    }
  }
}

static void set_async(int64_t value) { standin_async(value != 0); }
static void set_interfere(int64_t value) { standin_interfere(value != 0); }

// HSA: puts a packet that is not the program's before each of its own.
EXPORT void standin_foreign(int on);
void standin_foreign(int on) { atomic_store(&modes.foreign, on != 0); }

static void set_version(int64_t value) { atomic_store(&modes.version, value); }

static void set_eager(int64_t value) { atomic_store(&modes.eager, value != 0); }
static void set_apart(int64_t value) { standin_apart(value != 0); }

static void apply_all(const char *settings) {
  apply(settings, "async", set_async);
  apply(settings, "interfere", set_interfere);
  apply(settings, "apart", set_apart);
  apply(settings, "eager", set_eager);
  apply(settings, "version", set_version);
  apply(settings, "delay", standin_delay);
  configure(settings);
  hosted_configure(settings);
}

// Settings as KCACHE_STAND_IN has them, parted by semicolons: "devices=gfx90a:sramecc+:xnack-,gfx1030"
// (devices.c says more), "async=1", "interfere=1", "apart=1", "eager=1", "version=<number of HIP>",
// "delay=<microseconds>", "kernels=<path>" (hosted.c says more). What is not named stays.
// Devices are seen by the next first call: after a load, or after a reset.
EXPORT void standin_configure(const char *settings);
void standin_configure(const char *settings) { apply_all(settings); }

// Waits for all streams and makes everything as it was after the load. No other thread may be in a
// call.
EXPORT void standin_reset(void);
void standin_reset(void) {
  standin_hold(0);
  standin_delay(0);
#ifdef STAND_IN_HSA
  hsa_reset();
#endif
  devices_reset();
  pinned_reset();
  peers_reset();
#ifdef STAND_IN_CUDA
  contexts_reset();
#endif
  calls_reset();
  launch_reset();
  hosted_reset();
  standin_async(0);
  standin_interfere(0);
  standin_apart(0);
  standin_contextual(0);
  standin_foreign(0);
  for (int i = 0; i < COUNTER_COUNT; i++) atomic_store(&counters[i], 0);
  apply_all(getenv("KCACHE_STAND_IN"));
}

// The sticky error of a device; 0 if it has none.
EXPORT int standin_fault(int ordinal);
int standin_fault(int ordinal) {
  struct device *device = device_at(ordinal);
  return device == NULL ? 0 : atomic_load(&device->fault);
}

// Makes a device fault, or with 0 makes it well again.
EXPORT void standin_set_fault(int ordinal, int error);
void standin_set_fault(int ordinal, int error) {
  struct device *device = device_at(ordinal);
  if (device != NULL) atomic_store(&device->fault, error);
}

__attribute__((constructor)) static void load(void) { apply_all(getenv("KCACHE_STAND_IN")); }
