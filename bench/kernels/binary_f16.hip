// SPDX-License-Identifier: Apache-2.0
//
// Six operations on two arrays of one type, contiguous and strided: as kcache's own catalogue has them.
#include <hip/hip_runtime.h>

#include "elementwise.h"

BINARY_KERNELS(f16, __half)
