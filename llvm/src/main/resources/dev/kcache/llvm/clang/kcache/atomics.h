// SPDX-License-Identifier: Apache-2.0
//
// HIP's atomic functions: relaxed, in the scope of the device; those named _system in that of all
// devices and the host, those named _block in that of the block.
#pragma once

#include <kcache/language.h>

#ifdef __NVPTX__
// Clang has the builtin functions of HIP's for AMD alone.
#define __hip_atomic_load __scoped_atomic_load_n
#define __hip_atomic_fetch_add __scoped_atomic_fetch_add
#define __hip_atomic_fetch_min __scoped_atomic_fetch_min
#define __hip_atomic_fetch_max __scoped_atomic_fetch_max
#define __hip_atomic_fetch_and __scoped_atomic_fetch_and
#define __hip_atomic_fetch_or __scoped_atomic_fetch_or
#define __hip_atomic_fetch_xor __scoped_atomic_fetch_xor
#define __hip_atomic_exchange(address, value, order, scope)                        \
  ({                                                                               \
    auto __value = value;                                                          \
    decltype(__value) __old;                                                       \
    __scoped_atomic_exchange(address, &__value, &__old, order, scope);             \
    __old;                                                                         \
  })
#define __hip_atomic_compare_exchange_strong(address, expected, value, order, otherwise, scope) \
  ({                                                                                            \
    auto __value = value;                                                                       \
    __scoped_atomic_compare_exchange(address, expected, &__value, false, order, otherwise,      \
                                     scope);                                                    \
  })
#define __hip_atomic_compare_exchange_weak __hip_atomic_compare_exchange_strong
#define __HIP_MEMORY_SCOPE_AGENT __MEMORY_SCOPE_DEVICE
#define __HIP_MEMORY_SCOPE_SYSTEM __MEMORY_SCOPE_SYSTEM
#define __HIP_MEMORY_SCOPE_WORKGROUP __MEMORY_SCOPE_WRKGRP
// LLVM 20 makes each of them one for the device, which is too little.
#define __KCACHE_SCOPE_system __KCACHE_LACKING("atomic function for the whole system")
#else
#define __KCACHE_SCOPE_system
#endif
#define __KCACHE_SCOPE_block
#define __KCACHE_SCOPE

#define __KCACHE_ATOMIC(T, name, function, suffix, scope)                      \
  __KCACHE_SCOPE##suffix __KCACHE_DEVICE T                                     \
      atomic##name##suffix(T* address, T value) {                              \
    return function(address, value, __ATOMIC_RELAXED, scope);                  \
  }

#define __KCACHE_ATOMICS(T, name, function)                                    \
  __KCACHE_ATOMIC(T, name, function, , __HIP_MEMORY_SCOPE_AGENT)               \
  __KCACHE_ATOMIC(T, name, function, _system, __HIP_MEMORY_SCOPE_SYSTEM)      \
  __KCACHE_ATOMIC(T, name, function, _block, __HIP_MEMORY_SCOPE_WORKGROUP)

#define __KCACHE_SUBTRACT(address, value, order, scope) \
  __hip_atomic_fetch_add(address, -(value), order, scope)

#define __KCACHE_CAS(T, suffix, scope)                                                    \
  __KCACHE_SCOPE##suffix __KCACHE_DEVICE T                                                \
      atomicCAS##suffix(T* address, T expected, T value) {                                \
    __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED,     \
                                         __ATOMIC_RELAXED, scope);                        \
    return expected;                                                                      \
  }

#define __KCACHE_EVERYWHERE(T)                            \
  __KCACHE_ATOMICS(T, Add, __hip_atomic_fetch_add)        \
  __KCACHE_ATOMICS(T, Sub, __KCACHE_SUBTRACT)             \
  __KCACHE_ATOMICS(T, Min, __hip_atomic_fetch_min)        \
  __KCACHE_ATOMICS(T, Max, __hip_atomic_fetch_max)        \
  __KCACHE_ATOMICS(T, Exch, __hip_atomic_exchange)        \
  __KCACHE_CAS(T, , __HIP_MEMORY_SCOPE_AGENT)             \
  __KCACHE_CAS(T, _system, __HIP_MEMORY_SCOPE_SYSTEM)    \
  __KCACHE_CAS(T, _block, __HIP_MEMORY_SCOPE_WORKGROUP)

#define __KCACHE_INTEGER(T)                               \
  __KCACHE_EVERYWHERE(T)                                  \
  __KCACHE_ATOMICS(T, And, __hip_atomic_fetch_and)        \
  __KCACHE_ATOMICS(T, Or, __hip_atomic_fetch_or)          \
  __KCACHE_ATOMICS(T, Xor, __hip_atomic_fetch_xor)

__KCACHE_INTEGER(int)
__KCACHE_INTEGER(unsigned)
__KCACHE_INTEGER(unsigned long)
__KCACHE_INTEGER(unsigned long long)
__KCACHE_INTEGER(long long)
__KCACHE_EVERYWHERE(float)
__KCACHE_EVERYWHERE(double)

// HIP's choice between an operation of the processor's and a loop is the compiler's here.
#define __KCACHE_CHOSEN(T, name)                                                                    \
  __KCACHE_DEVICE T unsafeAtomic##name(T* address, T value) { return atomic##name(address, value); } \
  __KCACHE_DEVICE T safeAtomic##name(T* address, T value) { return atomic##name(address, value); }

__KCACHE_CHOSEN(float, Add)
__KCACHE_CHOSEN(float, Max)
__KCACHE_CHOSEN(float, Min)
__KCACHE_CHOSEN(double, Add)
__KCACHE_CHOSEN(double, Max)
__KCACHE_CHOSEN(double, Min)

// Nobody looks at what was there before.
__KCACHE_DEVICE void atomicAddNoRet(float* address, float value) { atomicAdd(address, value); }

// What LLVM has no operation for: counts up to a limit, or down from one, and begins again.
template <class Next>
__KCACHE_DEVICE unsigned __kcache_replace(unsigned* address, Next next) {
  unsigned old = __hip_atomic_load(address, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while (!__hip_atomic_compare_exchange_weak(address, &old, next(old), __ATOMIC_RELAXED,
                                             __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
  }
  return old;
}

__KCACHE_DEVICE unsigned atomicInc(unsigned* address, unsigned last) {
  return __kcache_replace(address, [=](unsigned old) { return old >= last ? 0 : old + 1; });
}

__KCACHE_DEVICE unsigned atomicDec(unsigned* address, unsigned first) {
  return __kcache_replace(
      address, [=](unsigned old) { return old == 0 || old > first ? first : old - 1; });
}

#undef __KCACHE_ATOMIC
#undef __KCACHE_ATOMICS
#undef __KCACHE_SUBTRACT
#undef __KCACHE_CAS
#undef __KCACHE_SCOPE
#undef __KCACHE_SCOPE_block
#undef __KCACHE_SCOPE_system
#undef __KCACHE_EVERYWHERE
#undef __KCACHE_INTEGER
#undef __KCACHE_CHOSEN
