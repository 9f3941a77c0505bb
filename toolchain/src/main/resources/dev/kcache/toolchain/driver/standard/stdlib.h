// SPDX-License-Identifier: Apache-2.0
//
// Of C's header a kernel has abs, and malloc and free where the language declares them.
#pragma once

#include <math.h>
#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
