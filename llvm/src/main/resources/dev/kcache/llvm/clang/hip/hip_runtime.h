// SPDX-License-Identifier: Apache-2.0
//
// Stands in for HIP's header where clang compiles device code without ROCm. The host's side of it is
// not here: nothing but device code is compiled.
#pragma once

#include <assert.h>
#include <cmath>
#include <hip/hip_version.h>
#include <kcache/atomics.h>
#include <kcache/bits.h>
#include <kcache/conversions.h>
#include <kcache/hip_names.h>
#include <kcache/indices.h>
#include <kcache/lanes.h>
#include <kcache/language.h>
#include <kcache/math.h>
#include <kcache/packed.h>
#include <kcache/synchronization.h>
#include <kcache/vector_types.h>
#include <kcache/warp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
