// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kcache/language.h>
#include <stddef.h>

__KCACHE_DEVICE void* memcpy(void* to, const void* from, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    static_cast<unsigned char*>(to)[i] = static_cast<const unsigned char*>(from)[i];
  }
  return to;
}

__KCACHE_DEVICE void* memset(void* to, int value, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    static_cast<unsigned char*>(to)[i] = static_cast<unsigned char>(value);
  }
  return to;
}
