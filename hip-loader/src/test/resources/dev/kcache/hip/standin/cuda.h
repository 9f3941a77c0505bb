// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the stand-in for libcuda share beside standin.h.
#ifndef STAND_IN_CUDA_H
#define STAND_IN_CUDA_H

// Begin a call: give the error of one that can't be, before the driver was initialised, or without the
// primary context of a device as the thread's. Another context is one that the program's handles are
// not of.
int enter(void);
int enter_context(void);

// Ends a call; another library may change the thread's context then. Gives the error.
int leave(int error);

void contexts_reset(void);

#endif
