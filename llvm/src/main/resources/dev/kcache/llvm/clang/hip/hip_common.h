// SPDX-License-Identifier: Apache-2.0
//
// The platform's macros, which a source has without an include directive.
#pragma once

#include <hip/hip_version.h>
#include <kcache/language.h>
