// SPDX-License-Identifier: Apache-2.0
//
// What can be asked about a function: its attributes, and how many of its blocks fit.
#include "standin.h"

enum {
  WAVES_PER_SIMD = 8,
  SIMDS = 4,
  REGISTERS_PER_LANE = 512,  // shared by the waves of a SIMD
  REGISTERS_AT_ONCE = 8,     // what a wave gets is a multiple of that
  ATTRIBUTES = STAND_IN_MAJOR == 7 ? 16 : 10,
};

#ifndef STAND_IN_CUDA
uint32_t dynamic_bytes(const struct function *function) {
  return LDS_BYTES - function->shared_bytes;
}
#endif

static int smaller(int a, int b) { return a < b ? a : b; }

static bool attribute(const struct function *function, int number, int *value) {
  switch (number) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = (int)function->description->max_threads;
      return true;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = (int)function->shared_bytes;
      return true;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = (int)function->private_bytes;
      return true;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
      *value = (int)function->description->vector_registers;
      return true;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
      *value = 30;
      return true;
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = 2;
      return true;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = (int)dynamic_bytes(function);
      return true;
    default:  // constant bytes, cache mode, carve-out; the clusters of 7
      *value = 0;
      return number >= 0 && number < ATTRIBUTES;
  }
}

API(hipFuncGetAttribute, (int *value, int number, void *handle), (value, number, handle)) {
  if (value == NULL) return hipErrorInvalidValue;
  int error;
  struct function *function = handle_get(FUNCTION, handle, &error);
  if (function == NULL) return error;
  bool known = attribute(function, number, value);
  object_release(function);
  return known ? hipSuccess : hipErrorInvalidValue;
}

// How many blocks a compute unit holds at once: as threads, registers and shared memory allow.
static int blocks_per_unit(const struct function *function, int threads, size_t shared) {
  int wave = this_device()->wave;
  int waves = (threads + wave - 1) / wave;
  int registers = (int)function->description->vector_registers;
  registers = (registers + REGISTERS_AT_ONCE - 1) / REGISTERS_AT_ONCE * REGISTERS_AT_ONCE;
  int waves_per_simd = WAVES_PER_SIMD;
  if (registers > 0) waves_per_simd = smaller(waves_per_simd, REGISTERS_PER_LANE / registers);
  int blocks = waves_per_simd * SIMDS / waves;
  size_t needed = function->shared_bytes + shared;
  if (needed > LDS_BYTES) return 0;
  return needed == 0 ? blocks : smaller(blocks, (int)(LDS_BYTES / needed));
}

API(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor,
    (int *blocks, void *handle, int threads, size_t shared), (blocks, handle, threads, shared)) {
  if (blocks == NULL || threads <= 0) return hipErrorInvalidValue;
  int error;
  struct function *function = handle_get(FUNCTION, handle, &error);
  if (function == NULL) return error;
  bool fits = threads <= (int)function->description->max_threads;
  *blocks = fits ? blocks_per_unit(function, threads, shared) : 0;
  object_release(function);
  return hipSuccess;
}

API(hipModuleOccupancyMaxPotentialBlockSize,
    (int *grid, int *block, void *handle, size_t shared, int limit),
    (grid, block, handle, shared, limit)) {
  if (grid == NULL || block == NULL) return hipErrorInvalidValue;
  int error;
  struct function *function = handle_get(FUNCTION, handle, &error);
  if (function == NULL) return error;
  // As the real one: whole wavefronts, and no look at what the kernel was compiled for.
  int wave = this_device()->wave;
  int threads = limit > 0 ? (limit + wave - 1) / wave * wave : MAX_BLOCK_THREADS;
  *block = threads;
  *grid = blocks_per_unit(function, threads, shared) * this_device()->units;
  object_release(function);
  return hipSuccess;
}
