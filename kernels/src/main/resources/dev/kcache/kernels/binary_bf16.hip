// SPDX-License-Identifier: Apache-2.0
//
// The kernels of the binary family for bf16.
#include "binary.h"

KCACHE_BINARY_KERNELS(bf16)
