// SPDX-License-Identifier: Apache-2.0
#pragma once

#define __alignas_is_defined 1
#define __alignof_is_defined 1
