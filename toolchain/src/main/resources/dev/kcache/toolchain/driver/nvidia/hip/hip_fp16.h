// SPDX-License-Identifier: Apache-2.0
//
// HIP's half is CUDA's: __half, __half2 and their functions.
#pragma once

#include <cuda_fp16.h>
#include <hip/hip_runtime.h>
