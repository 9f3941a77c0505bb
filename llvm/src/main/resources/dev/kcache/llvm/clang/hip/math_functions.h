// SPDX-License-Identifier: Apache-2.0
//
// All of it is in the one header.
#pragma once

#include <hip/hip_runtime.h>
