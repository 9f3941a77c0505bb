// SPDX-License-Identifier: Apache-2.0
//
// HIP's cooperative groups are CUDA's, in the same namespace.
#pragma once

#include <cooperative_groups.h>
#include <hip/hip_runtime.h>
