// SPDX-License-Identifier: Apache-2.0
//
// System events of a library that stands in for libhsa-runtime64, with their real layout.
#ifndef STAND_IN_HSA_EVENTS_H
#define STAND_IN_HSA_EVENTS_H

#include <stdint.h>

// Starts the thread that tells events; before, no handler can be registered. Gives whether it runs.
int events_open(int (*node)(uint64_t agent));

// Tell the event thread that a GPU touched a page that it must not, or that it was reset because it
// hung, and return. The handlers hear of it after a delay in microseconds.
void events_memory_fault(uint64_t agent, uint64_t page, uint32_t reasons, uint32_t delay);
void events_hang(uint64_t agent, uint32_t delay);

#endif
