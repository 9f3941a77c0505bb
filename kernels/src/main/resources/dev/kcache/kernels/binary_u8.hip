// SPDX-License-Identifier: Apache-2.0
//
// The kernels of the binary family for u8.
#include <hip/hip_runtime.h>

#include "binary.h"

KCACHE_BINARY_KERNELS(u8)
