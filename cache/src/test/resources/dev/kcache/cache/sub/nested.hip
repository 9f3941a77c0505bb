// SPDX-License-Identifier: Apache-2.0
#include "../resource.h"
__global__ void nested() {}
