// SPDX-License-Identifier: Apache-2.0
//
// Events: marks in a stream, with the time at which the stream passed them. And host functions,
// which a stream calls in their turn.
#include <stdlib.h>
#include <time.h>

#include "standin.h"

// One use of an event. Who waits for it keeps it, also when the event is recorded again.
struct record {
  struct operation operation;
  atomic_int references;
  struct stream *stream;
  uint64_t sequence;
  atomic_llong time;  // in nanoseconds; 0 until the stream has passed
};

struct event {
  struct object object;
  unsigned flags;
  pthread_mutex_t lock;
  struct record *record;  // NULL until recorded
};

static void record_release(struct record *record) {
  if (record == NULL || atomic_fetch_sub(&record->references, 1) > 1) return;
  object_release(record->stream);
  free(record);
}

static void pass(struct operation *operation) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  atomic_store(&((struct record *)operation)->time, now.tv_sec * 1000000000ll + now.tv_nsec);
}

static void drop_record(struct operation *operation) {
  record_release((struct record *)operation);
}

static void end(struct object *object) {
  (void)object;
  count(EVENTS, -1);
}

static void destroy(struct object *object) {
  struct event *event = (struct event *)object;
  record_release(event->record);
  pthread_mutex_destroy(&event->lock);
  free(event);
}

// Gives the last record of an event, with a reference; NULL if there was none.
static struct record *record_of(struct event *event) {
  pthread_mutex_lock(&event->lock);
  struct record *record = event->record;
  if (record != NULL) atomic_fetch_add(&record->references, 1);
  pthread_mutex_unlock(&event->lock);
  return record;
}

static bool flags_allowed(unsigned flags) {
  unsigned release = flags & (hipEventReleaseToDevice | hipEventReleaseToSystem |
                              (unsigned)hipEventDisableSystemFence);
  unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | release;
  bool one_release = (release & (release - 1)) == 0;
  bool timed_between_processes =
      (flags & hipEventInterprocess) != 0 && (flags & hipEventDisableTiming) == 0;
  return (flags & ~known) == 0 && one_release && !timed_between_processes;
}

API(hipEventCreateWithFlags, (void **handle, unsigned flags), (handle, flags)) {
  if (handle == NULL || !flags_allowed(flags)) return hipErrorInvalidValue;
  struct event *event = calloc(1, sizeof *event);
  if (event == NULL) abort();
  event->object = (struct object){
      .kind = EVENT, .device = this_ordinal(), .references = 1, .end = end, .destroy = destroy};
  event->flags = flags;
  pthread_mutex_init(&event->lock, NULL);
  handle_open(&event->object);
  count(EVENTS, 1);
  *handle = event->object.handle;
  return hipSuccess;
}

API(hipEventDestroy, (void *handle), (handle)) { return handle_close(EVENT, handle); }

static void record(struct event *event, struct stream *stream) {
  struct record *record = calloc(1, sizeof *record);
  if (record == NULL) abort();
  object_retain(stream);
  record->operation = (struct operation){.run = pass, .drop = drop_record};
  record->stream = stream;
  atomic_store(&record->references, 2);  // the stream's and the event's
  pthread_mutex_lock(&event->lock);
  record->sequence = stream_submit(stream, &record->operation);
  struct record *before = event->record;
  event->record = record;
  pthread_mutex_unlock(&event->lock);
  record_release(before);
}

API(hipEventRecord, (void *handle, void *stream_handle), (handle, stream_handle)) {
  int error;
  struct event *event = handle_get(EVENT, handle, &error);
  if (event == NULL) return error;
  struct stream *stream = stream_get(stream_handle, &error);
  if (stream != NULL) {
    record(event, stream);
    object_release(stream);
  }
  object_release(event);
  return error;
}

static bool passed(struct record *record) {
  return record == NULL || stream_done(record->stream, record->sequence);
}

API(hipEventQuery, (void *handle), (handle)) {
  int error;
  struct event *event = handle_get(EVENT, handle, &error);
  if (event == NULL) return error;
  struct record *record = record_of(event);
  error = atomic_load(&this_device()->fault);
  if (error == hipSuccess && !passed(record)) error = hipErrorNotReady;
  record_release(record);
  object_release(event);
  return error;
}

API(hipEventSynchronize, (void *handle), (handle)) {
  int error;
  struct event *event = handle_get(EVENT, handle, &error);
  if (event == NULL) return error;
  struct record *record = record_of(event);
  if (record != NULL) stream_wait(record->stream, record->sequence);
  record_release(record);
  object_release(event);
  return fault_of_all() != hipSuccess ? fault_of_all() : atomic_load(&this_device()->fault);
}

static int elapsed(float *milliseconds, struct record *start, struct record *stop) {
  if (start == NULL || stop == NULL) return hipErrorInvalidHandle;
  if (!passed(start) || !passed(stop)) return hipErrorNotReady;
  double nanoseconds = (double)(atomic_load(&stop->time) - atomic_load(&start->time));
  // No clock is so fine that two marks never share an instant.
  if (nanoseconds >= 0 && nanoseconds < 1000) nanoseconds = 1000;
  *milliseconds = (float)(nanoseconds / 1e6);
  return hipSuccess;
}

static int elapsed_between(float *milliseconds, struct event *start, struct event *stop) {
  if (((start->flags | stop->flags) & hipEventDisableTiming) != 0) return hipErrorInvalidHandle;
  struct record *first = record_of(start);
  struct record *second = record_of(stop);
  int error = elapsed(milliseconds, first, second);
  record_release(first);
  record_release(second);
  return error;
}

API(hipEventElapsedTime, (float *milliseconds, void *start_handle, void *stop_handle),
    (milliseconds, start_handle, stop_handle)) {
  if (milliseconds == NULL) return hipErrorInvalidValue;
  int error;
  struct event *start = handle_get(EVENT, start_handle, &error);
  if (start == NULL) return error;
  struct event *stop = handle_get(EVENT, stop_handle, &error);
  if (stop != NULL) {
    error = elapsed_between(milliseconds, start, stop);
    object_release(stop);
  }
  object_release(start);
  return error;
}

// ---- what a stream waits for, and calls ---------------------------------------------------------

static void drop(struct operation *operation) { free(operation); }

static void wait_for(struct stream *stream, struct record *record) {
  struct operation *barrier = calloc(1, sizeof *barrier);
  if (barrier == NULL) abort();
  object_retain(record->stream);
  *barrier = (struct operation){
      .drop = drop, .after = record->stream, .after_sequence = record->sequence};
  stream_submit(stream, barrier);
}

// A stream may wait for an event of another device.
API(hipStreamWaitEvent, (void *stream_handle, void *handle, unsigned flags),
    (stream_handle, handle, flags)) {
  if (flags != 0) return hipErrorInvalidValue;
  int error;
  struct event *event = handle_get_anywhere(EVENT, handle, &error);
  if (event == NULL) return error;
  struct stream *stream = stream_get(stream_handle, &error);
  if (stream != NULL) {
    struct record *record = record_of(event);
    if (!passed(record)) wait_for(stream, record);
    record_release(record);
    object_release(stream);
  }
  object_release(event);
  return error;
}

#if STAND_IN_MAJOR >= 6
struct call_back {
  struct operation operation;
  void (*function)(void *data);
  void *data;
};

static void run_call_back(struct operation *operation) {
  struct call_back *call = (struct call_back *)operation;
  call->function(call->data);
}

API(hipLaunchHostFunc, (void *handle, void (*function)(void *data), void *data),
    (handle, function, data)) {
  if (function == NULL) return hipErrorInvalidValue;
  int error;
  struct stream *stream = stream_get(handle, &error);
  if (stream == NULL) return error;
  struct call_back *call = calloc(1, sizeof *call);
  if (call == NULL) abort();
  *call = (struct call_back){{.run = run_call_back, .drop = drop}, function, data};
  stream_submit(stream, &call->operation);
  object_release(stream);
  return hipSuccess;
}
#endif
