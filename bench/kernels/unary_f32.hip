// SPDX-License-Identifier: Apache-2.0
//
// Functions of one array.
#include <hip/hip_runtime.h>

#include "elementwise.h"

UNARY_KERNELS(f32, float)
