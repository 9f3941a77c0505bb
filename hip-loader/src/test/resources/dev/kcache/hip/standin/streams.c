// SPDX-License-Identifier: Apache-2.0
//
// Streams: operations of one run in order. Without `async` the caller's thread runs them at once;
// with it, each stream has a thread. A device runs one operation at a time: its lock is held.
//
// The default stream waits for what the blocking streams were given before, and they for it. An
// operation waits only for operations that were submitted earlier, so no circle can arise.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "standin.h"

struct stream {
  struct object object;
  struct device *device;
  unsigned flags;
  struct stream *next;  // in the table of streams

  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct operation *head;
  struct operation **tail;
  uint64_t submitted;
  uint64_t completed;
  bool threaded;  // has a thread
  bool closed;    // takes nothing more: the thread ends when all is done
};

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static struct stream *all;

static void destroy(struct object *object) {
  struct stream *stream = (struct stream *)object;
  pthread_mutex_destroy(&stream->lock);
  pthread_cond_destroy(&stream->changed);
  free(stream);
}

// Takes a stream out of the table, so that nobody waits for it any more, and lets its thread end.
static void end(struct object *object) {
  struct stream *stream = (struct stream *)object;
  pthread_mutex_lock(&table);
  struct stream **link = &all;
  while (*link != stream) link = &(*link)->next;
  *link = stream->next;
  pthread_mutex_unlock(&table);
  pthread_mutex_lock(&stream->lock);
  stream->closed = true;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
  if (stream != stream->device->stream) count(STREAMS, -1);
}

static struct stream *stream_new(struct device *device, unsigned flags) {
  struct stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) abort();
  stream->object = (struct object){
      .kind = STREAM, .device = device->ordinal, .references = 1, .end = end, .destroy = destroy};
  stream->device = device;
  stream->flags = flags;
  pthread_mutex_init(&stream->lock, NULL);
  pthread_cond_init(&stream->changed, NULL);
  stream->tail = &stream->head;
  pthread_mutex_lock(&table);
  stream->next = all;
  all = stream;
  pthread_mutex_unlock(&table);
  return stream;
}

void streams_open(struct device *device) { device->stream = stream_new(device, 0); }

void streams_close(struct device *device) {
  end(&device->stream->object);
  object_release(device->stream);
}

struct device *stream_device(struct stream *stream) { return stream->device; }

struct stream *stream_get(void *handle, int *error) {
  if (handle != NULL) return handle_get(STREAM, handle, error);
  *error = hipSuccess;
  struct stream *stream = this_device()->stream;
  object_retain(stream);
  return stream;
}

static void run(struct operation *operation) {
  if (operation->after != NULL) stream_wait(operation->after, operation->after_sequence);
  if (operation->run != NULL) operation->run(operation);
  if (operation->after != NULL) object_release(operation->after);
  operation->drop(operation);
}

static void complete(struct stream *stream) {
  pthread_mutex_lock(&stream->lock);
  stream->completed++;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
}

// Gives the next operation of a stream's thread; NULL when the stream has ended.
static struct operation *take(struct stream *stream) {
  pthread_mutex_lock(&stream->lock);
  while (stream->head == NULL && !stream->closed) {
    pthread_cond_wait(&stream->changed, &stream->lock);
  }
  struct operation *operation = stream->head;
  if (operation != NULL) {
    stream->head = operation->next;
    if (stream->head == NULL) stream->tail = &stream->head;
  }
  pthread_mutex_unlock(&stream->lock);
  return operation;
}

static void *work(void *argument) {
  struct stream *stream = argument;
  for (struct operation *operation; (operation = take(stream)) != NULL;) {
    wait_for_start();
    if (atomic_load(&stream->device->dead)) wait_for_ever();
    run(operation);
    complete(stream);
  }
  object_release(stream);
  return NULL;
}

// The stream is locked.
static void start_thread(struct stream *stream) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 1 << 20);
  object_retain(stream);
  if (pthread_create(&thread, &attributes, work, stream) != 0) abort();
  pthread_attr_destroy(&attributes);
  stream->threaded = true;
}

static uint64_t submit(struct stream *stream, struct operation *operation) {
  operation->next = NULL;
  pthread_mutex_lock(&stream->lock);
  uint64_t sequence = ++stream->submitted;
  bool busy = stream->threaded && stream->completed + 1 != sequence;
  bool queue = busy || atomic_load_explicit(&modes.async, memory_order_relaxed);
  if (queue) {
    *stream->tail = operation;
    stream->tail = &operation->next;
    if (!stream->threaded) start_thread(stream);
    pthread_cond_broadcast(&stream->changed);
  }
  pthread_mutex_unlock(&stream->lock);
  if (!queue) {
    run(operation);
    complete(stream);
  }
  return sequence;
}

static void drop(struct operation *operation) { free(operation); }

// Lets what is submitted to a stream from now on wait for what another one was given so far.
static void wait_for(struct stream *stream, struct stream *other) {
  pthread_mutex_lock(&other->lock);
  uint64_t submitted = other->submitted;
  bool idle = other->completed == submitted;
  pthread_mutex_unlock(&other->lock);
  if (idle) return;
  struct operation *barrier = calloc(1, sizeof *barrier);
  if (barrier == NULL) abort();
  object_retain(other);
  *barrier = (struct operation){.drop = drop, .after = other, .after_sequence = submitted};
  submit(stream, barrier);
}

// Gives the streams of a device, each with a reference, in an array that the caller frees.
static struct stream **streams_of(const struct device *device, size_t *number) {
  pthread_mutex_lock(&table);
  size_t capacity = 0;
  for (struct stream *stream = all; stream != NULL; stream = stream->next) capacity++;
  struct stream **streams = malloc((capacity + 1) * sizeof *streams);
  if (streams == NULL) abort();
  *number = 0;
  for (struct stream *stream = all; stream != NULL; stream = stream->next) {
    if (stream->device != device) continue;
    object_retain(stream);
    streams[(*number)++] = stream;
  }
  pthread_mutex_unlock(&table);
  return streams;
}

static void wait_for_blocking_streams(struct stream *stream) {
  size_t number;
  struct stream **streams = streams_of(stream->device, &number);
  for (size_t i = 0; i < number; i++) {
    bool waits = streams[i] != stream && (streams[i]->flags & hipStreamNonBlocking) == 0;
    if (waits) wait_for(stream, streams[i]);
    object_release(streams[i]);
  }
  free(streams);
}

uint64_t stream_submit(struct stream *stream, struct operation *operation) {
  if (atomic_load_explicit(&modes.async, memory_order_relaxed)) {
    if (stream == stream->device->stream) {
      wait_for_blocking_streams(stream);
    } else if ((stream->flags & hipStreamNonBlocking) == 0) {
      wait_for(stream, stream->device->stream);
    }
  }
  return submit(stream, operation);
}

bool stream_done(struct stream *stream, uint64_t sequence) {
  pthread_mutex_lock(&stream->lock);
  bool done = stream->completed >= sequence;
  pthread_mutex_unlock(&stream->lock);
  return done;
}

// The stream is locked. Nothing wakes who waits for a queue that is dead: 7 looks now and then.
static void wait_a_moment(struct stream *stream) {
  if (STAND_IN_MAJOR < 7 || !faults_are_fatal()) {
    pthread_cond_wait(&stream->changed, &stream->lock);
    return;
  }
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += until.tv_nsec / 1000 >= 980000;
  until.tv_nsec = (until.tv_nsec + 20000000) % 1000000000;
  pthread_cond_timedwait(&stream->changed, &stream->lock, &until);
}

void stream_wait(struct stream *stream, uint64_t sequence) {
  pthread_mutex_lock(&stream->lock);
  while (stream->completed < sequence && fault_of_all() == hipSuccess) {
    wait_a_moment(stream);
  }
  pthread_mutex_unlock(&stream->lock);
}

static uint64_t submitted(struct stream *stream) {
  pthread_mutex_lock(&stream->lock);
  uint64_t submitted = stream->submitted;
  pthread_mutex_unlock(&stream->lock);
  return submitted;
}

// Waits for the streams of a device, or for all but those with one of some flags.
static void drain(struct device *device, unsigned without) {
  size_t number;
  struct stream **streams = streams_of(device, &number);
  for (size_t i = 0; i < number; i++) {
    if ((streams[i]->flags & without) == 0) stream_wait(streams[i], submitted(streams[i]));
    object_release(streams[i]);
  }
  free(streams);
}

void device_drain(struct device *device) { drain(device, 0); }

static int create(void **handle, unsigned flags) {
  if (handle == NULL || flags > hipStreamNonBlocking) return hipErrorInvalidValue;
  struct stream *stream = stream_new(this_device(), flags);
  handle_open(&stream->object);
  count(STREAMS, 1);
  *handle = stream->object.handle;
  return hipSuccess;
}

API(hipStreamCreateWithFlags, (void **handle, unsigned flags), (handle, flags)) {
  return create(handle, flags);
}

static atomic_int last_priority;

// The priority that the last stream with one was asked for with.
EXPORT int standin_last_priority(void);
int standin_last_priority(void) { return atomic_load(&last_priority); }

API(hipStreamCreateWithPriority, (void **handle, unsigned flags, int priority),
    (handle, flags, priority)) {
  atomic_store(&last_priority, priority);  // any is clamped to the range
  return create(handle, flags);
}

API(hipStreamDestroy, (void *handle), (handle)) {
  return handle_close(STREAM, handle);
}

API(hipStreamQuery, (void *handle), (handle)) {
  int error;
  struct stream *stream = stream_get(handle, &error);
  if (stream == NULL) return error;
  bool done = stream_done(stream, submitted(stream));
  error = atomic_load(&stream->device->fault);
  object_release(stream);
  return error != hipSuccess ? error : done ? hipSuccess : hipErrorNotReady;
}

API(hipStreamSynchronize, (void *handle), (handle)) {
  int error;
  struct stream *stream = stream_get(handle, &error);
  if (stream == NULL) return error;
  if (handle == NULL) {
    drain(stream->device, hipStreamNonBlocking);
  } else {
    stream_wait(stream, submitted(stream));
  }
  error = fault_of_all() != hipSuccess ? fault_of_all() : atomic_load(&stream->device->fault);
  object_release(stream);
  return error;
}
