// SPDX-License-Identifier: Apache-2.0
//
// The older of HIP's two types for bfloat16. It converts from and to float and has operators, as
// CUDA's one has.
#pragma once

#include <cuda_bf16.h>
#include <hip/hip_runtime.h>

using hip_bfloat16 = __nv_bfloat16;
