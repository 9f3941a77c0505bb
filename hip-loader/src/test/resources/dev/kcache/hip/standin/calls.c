// SPDX-License-Identifier: Apache-2.0
//
// What happens at the begin and the end of every call: counting, injected errors, the sticky error
// of a faulted device, the thread's last error, and another library that changes its device.
#include <limits.h>
#include <string.h>

#include "standin.h"

#define CALL_NAME(name, kind) #name,
static const char *const names[] = {CALLS(CALL_NAME)};

#define CALL_KIND(name, kind) kind,
static const enum call_kind kinds[] = {CALLS(CALL_KIND)};

// Injected for a call that is to do nothing and say that all is well.
enum { IGNORED = -1 };

struct injection {
  int error;
  int skip;
  int times;
};

static atomic_llong called[CALL_COUNT];
static atomic_bool armed[CALL_COUNT];
static struct injection injections[CALL_COUNT];
static pthread_mutex_t injecting = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local int last_error;

static enum call call_named(const char *name) {
  for (enum call call = 0; call < CALL_COUNT; call++) {
    if (strcmp(names[call], name) == 0) return call;
  }
  return CALL_COUNT;
}

static int injected(enum call call) {
  int error = hipSuccess;
  pthread_mutex_lock(&injecting);
  struct injection *injection = &injections[call];
  if (injection->skip > 0) {
    injection->skip--;
  } else if (injection->times > 0) {
    error = injection->error;
    if (injection->times != INT_MAX) injection->times--;
    atomic_store(&armed[call], injection->times > 0);
  }
  pthread_mutex_unlock(&injecting);
  return error;
}

int call_begin(enum call call) {
  atomic_fetch_add_explicit(&called[call], 1, memory_order_relaxed);
  if (atomic_load_explicit(&armed[call], memory_order_relaxed)) {
    int error = injected(call);
    if (error != hipSuccess) return error;
  }
  bool asks = call == CALL_hipGetLastError || call == CALL_hipPeekAtLastError;
  if (fault_of_all() != hipSuccess && !asks) return fault_of_all();
  if (kinds[call] == QUIET) return hipSuccess;
  if (device_count() == 0) return call == CALL_hipGetDeviceCount ? hipSuccess : hipErrorNoDevice;
  return kinds[call] == DEVICE ? atomic_load(&this_device()->fault) : hipSuccess;
}

int call_end(enum call call, int error) {
  if (error == IGNORED) error = hipSuccess;
  if (kinds[call] != QUIET && atomic_load(&modes.interfere) && device_count() > 0) {
    set_this_ordinal((this_ordinal() + 1) % device_count());
  }
  // Up to 6 a success wipes out the last error; 7 keeps it until somebody asks.
  bool asks = call == CALL_hipGetLastError || call == CALL_hipPeekAtLastError;
  if (!asks && (STAND_IN_MAJOR < 7 || error != hipSuccess)) last_error = error;
  return error;
}

API(hipPeekAtLastError, (void), ()) { return last_error; }

API(hipGetLastError, (void), ()) {
  int error = last_error;
  last_error = hipSuccess;
  return error;
}

// Makes a function answer an error instead of running: after `skip` more calls, `times` times (a
// negative number means always). 0 if there is no function of that name.
EXPORT int standin_fail(const char *function, int error, int skip, int times);
int standin_fail(const char *function, int error, int skip, int times) {
  enum call call = call_named(function);
  if (call == CALL_COUNT) return 0;
  pthread_mutex_lock(&injecting);
  injections[call] = (struct injection){error, skip, times < 0 ? INT_MAX : times};
  atomic_store(&armed[call], times != 0);
  pthread_mutex_unlock(&injecting);
  return 1;
}

// How often a function was called; -1 if there is none of that name.
EXPORT int64_t standin_calls(const char *function);
int64_t standin_calls(const char *function) {
  enum call call = call_named(function);
  return call == CALL_COUNT ? -1 : atomic_load(&called[call]);
}

void calls_reset(void) {
  for (enum call call = 0; call < CALL_COUNT; call++) {
    standin_fail(names[call], hipSuccess, 0, 0);
    atomic_store(&called[call], 0);
  }
  last_error = hipSuccess;
}
