// SPDX-License-Identifier: Apache-2.0
//
// All of what HIP has here, CUDA has under the same names.
#pragma once

#include <hip/hip_runtime.h>
