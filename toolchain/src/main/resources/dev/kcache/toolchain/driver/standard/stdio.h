// SPDX-License-Identifier: Apache-2.0
//
// Of C's header a kernel has printf.
#pragma once

#include <kcache/math.h>
#include <stddef.h>
