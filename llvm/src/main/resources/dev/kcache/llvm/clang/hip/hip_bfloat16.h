// SPDX-License-Identifier: Apache-2.0
//
// The older of HIP's two types for bfloat16. It converts from and to float and has operators, as
// the newer one has.
#pragma once

#include <hip/hip_bf16.h>

using hip_bfloat16 = __hip_bfloat16;
