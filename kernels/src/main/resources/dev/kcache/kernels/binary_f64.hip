// SPDX-License-Identifier: Apache-2.0
//
// The kernels of the binary family for f64.
#include <hip/hip_runtime.h>

#include "binary.h"

KCACHE_BINARY_KERNELS(f64)
