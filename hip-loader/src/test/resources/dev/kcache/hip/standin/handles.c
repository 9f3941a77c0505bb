// SPDX-License-Identifier: Apache-2.0
//
// Handles are numbers into a table, not pointers: one that is dead or made up is told from one that
// lives, and a program that looks into one crashes.
#include <stdlib.h>
#include <string.h>

#include "standin.h"

// The address that a handle looks like is one that no x86-64 or arm64 process can read.
#define MARK 0x5a00000000000000u

struct slot {
  struct object *object;  // NULL if free
  uint16_t life;          // how often the slot was used
  uint32_t next_free;
};

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static struct slot *slots;
static uint32_t last_slot;  // slot 0 stays empty
static uint32_t slot_capacity;
static uint32_t first_free;

static void *handle_of(uint32_t index, enum kind kind) {
  return (void *)(uintptr_t)(MARK | (uint64_t)kind << 48 | (uint64_t)slots[index].life << 32 | index);
}

static uint32_t take_slot(void) {
  if (first_free != 0) {
    uint32_t index = first_free;
    first_free = slots[index].next_free;
    return index;
  }
  if (last_slot + 1 >= slot_capacity) {
    uint32_t capacity = slot_capacity == 0 ? 64 : slot_capacity * 2;
    slots = realloc(slots, capacity * sizeof *slots);
    if (slots == NULL) abort();
    memset(slots + slot_capacity, 0, (capacity - slot_capacity) * sizeof *slots);
    slot_capacity = capacity;
  }
  return ++last_slot;
}

void handle_open(struct object *object) {
  pthread_mutex_lock(&table);
  uint32_t index = take_slot();
  slots[index].object = object;
  slots[index].life++;
  object->handle = handle_of(index, object->kind);
  pthread_mutex_unlock(&table);
}

// The slot of a living handle; 0 if there is none. The table is locked.
static uint32_t slot_of(enum kind kind, void *handle) {
  uint32_t index = (uint32_t)(uintptr_t)handle;
  bool alive = index != 0 && index <= last_slot && slots[index].object != NULL &&
               handle_of(index, kind) == handle && slots[index].object->kind == kind;
  return alive ? index : 0;
}

static struct object *free_slot(uint32_t index) {
  struct object *object = slots[index].object;
  slots[index].object = NULL;
  slots[index].next_free = first_free;
  first_free = index;
  return object;
}

static int error_of_dead(enum kind kind) {
  switch (kind) {
    case STREAM:
    case EVENT:
      return hipErrorContextIsDestroyed;
    case MODULE:
      return hipErrorNotFound;
    default:
      return hipErrorInvalidHandle;
  }
}

// Gives the object without a reference for the caller. The table is locked.
static struct object *find_anywhere(enum kind kind, void *handle, enum counter if_dead,
                                    int *error) {
  *error = hipErrorInvalidHandle;
  if (handle == NULL) return NULL;
  uint32_t index = slot_of(kind, handle);
  if (index == 0) {
    count(if_dead, 1);
    *error = error_of_dead(kind);
    return NULL;
  }
  *error = hipSuccess;
  return slots[index].object;
}

static struct object *find(enum kind kind, void *handle, enum counter if_dead, int *error) {
  struct object *object = find_anywhere(kind, handle, if_dead, error);
  if (object == NULL || object->device == this_ordinal()) return object;
  count(WRONG_DEVICE, 1);
  *error = hipErrorInvalidHandle;
  return NULL;
}

void *handle_get_anywhere(enum kind kind, void *handle, int *error) {
  pthread_mutex_lock(&table);
  struct object *object = find_anywhere(kind, handle, USE_AFTER_FREE, error);
  if (object != NULL) object_retain(object);
  pthread_mutex_unlock(&table);
  return object;
}

void *handle_get(enum kind kind, void *handle, int *error) {
  pthread_mutex_lock(&table);
  struct object *object = find(kind, handle, USE_AFTER_FREE, error);
  if (object != NULL) object_retain(object);
  pthread_mutex_unlock(&table);
  return object;
}

static void end(struct object *object) {
  if (object->end != NULL) object->end(object);
  object_release(object);
}

int handle_close(enum kind kind, void *handle) {
  int error;
  pthread_mutex_lock(&table);
  struct object *object = find(kind, handle, DOUBLE_FREE, &error);
  if (object != NULL) free_slot(slot_of(kind, handle));
  pthread_mutex_unlock(&table);
  if (object != NULL) end(object);
  return error;
}

void handle_retire(struct object *object) {
  pthread_mutex_lock(&table);
  uint32_t index = slot_of(object->kind, object->handle);
  if (index != 0) free_slot(index);
  pthread_mutex_unlock(&table);
  if (index != 0) end(object);
}

void object_retain(void *object) {
  atomic_fetch_add_explicit(&((struct object *)object)->references, 1, memory_order_relaxed);
}

void object_release(void *object) {
  struct object *o = object;
  if (atomic_fetch_sub(&o->references, 1) == 1) o->destroy(o);
}

void handles_reset(void) {
  for (uint32_t index = 1; index <= last_slot; index++) {
    pthread_mutex_lock(&table);
    struct object *object = slots[index].object;
    if (object != NULL) free_slot(index);
    pthread_mutex_unlock(&table);
    if (object != NULL) end(object);
  }
}
