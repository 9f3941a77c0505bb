// SPDX-License-Identifier: Apache-2.0
//
// Waits that nothing can end: real ones would hang, and with them a test. Here they end, counted as a
// mistake, and every queue fails.
#include <stdio.h>

#include "hsa.h"

// A wait is in vain after so many looks, so far apart, at which nothing was under way and nothing had
// changed. Looks are counted, not time, so that a machine that stands still for a while does no harm.
enum { LOOKS = 30, APART = 50000000 };

static atomic_ullong changes;
static atomic_int under_way;
static atomic_bool in_vain;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t seen, looked;
static int looks;

void wait_changed(void) { atomic_fetch_add(&changes, 1); }

void wait_under_way(int by) { atomic_fetch_add(&under_way, by); }

static bool may_end(void) {
  bool dead = false;
  for (int i = 0; i < device_count(); i++) dead = dead || atomic_load(&device_at(i)->dead);
  return dead || atomic_load(&under_way) > 0 || atomic_load(&modes.held);
}

bool wait_is_vain(void) {
  if (atomic_load(&in_vain)) return true;
  uint64_t now = hsa_now(), change = atomic_load(&changes);
  pthread_mutex_lock(&lock);
  if (may_end() || change != seen) {
    seen = change;
    looks = 0;
  } else if (now - looked > APART) {
    looked = now;
    looks++;
  }
  bool first = looks > LOOKS && !atomic_exchange(&in_vain, true);
  pthread_mutex_unlock(&lock);
  if (first) {
    fputs("stand-in: a wait would never end: nothing is under way that lowers its signal\n", stderr);
    count(USE_AFTER_FREE, 1);
    hsa_queues_fail();
  }
  return atomic_load(&in_vain);
}

void hsa_waits_reset(void) {
  pthread_mutex_lock(&lock);
  looks = 0;
  atomic_store(&in_vain, false);
  pthread_mutex_unlock(&lock);
}
