// SPDX-License-Identifier: Apache-2.0
//
// Elements as their bits, for the families that only move them: u8, f16, u32 and i64 are the units
// for elements of 1, 2, 4 and 8 bytes.
#pragma once

#include <hip/hip_runtime.h>
#include <stdint.h>

#include <type_traits>

#include "unit.h"

namespace kcache {

using Word = std::conditional_t<
    sizeof(Element) == 1, uint8_t,
    std::conditional_t<sizeof(Element) == 2, uint16_t,
                       std::conditional_t<sizeof(Element) == 4, uint32_t, uint64_t>>>;

// dividend / divisor, of at most `most`: few numbers need the many instructions for 64 bits.
inline __device__ uint64_t quotient(uint64_t dividend, uint64_t divisor, uint64_t most) {
  if (most > UINT32_MAX) return dividend / divisor;
  return static_cast<uint32_t>(dividend) / static_cast<uint32_t>(divisor);
}

}  // namespace kcache
