// SPDX-License-Identifier: Apache-2.0
//
// The functions of HIP's API that the stand-in has, and what is common to all of them.
#ifndef STAND_IN_CALLS_H
#define STAND_IN_CALLS_H

#include "hip.h"

#ifndef STAND_IN_MAJOR
#error "say which HIP to stand in for: -DSTAND_IN_MAJOR=5, 6 or 7"
#endif

#define EXPORT __attribute__((visibility("default")))

// QUIET calls work on a faulted device and leave the thread's device alone, even if `interfere` is
// on. PLAIN calls work on a faulted device. DEVICE calls answer its fault.
enum call_kind { QUIET, PLAIN, DEVICE };

// What only CUDA's driver has.
#ifdef STAND_IN_CUDA
#define CUDA_CALLS(X)                                \
  X(hipDevicePrimaryCtxRetain, PLAIN)                \
  X(hipModuleLoadDataEx, DEVICE)                     \
  X(hipFuncSetAttribute, DEVICE)
#else
#define CUDA_CALLS(X)
#endif

// What only HSA has.
#ifdef STAND_IN_HSA
#define HSA_CALLS(X)                                 \
  X(hsa_init, QUIET)                                 \
  X(hsa_system_get_info, QUIET)                      \
  X(hsa_iterate_agents, QUIET)                       \
  X(hsa_agent_get_info, QUIET)                       \
  X(hsa_isa_get_info_alt, QUIET)                     \
  X(hsa_amd_agent_iterate_memory_pools, QUIET)       \
  X(hsa_amd_memory_pool_get_info, QUIET)             \
  X(hsa_amd_memory_pool_allocate, QUIET)             \
  X(hsa_amd_memory_pool_free, QUIET)                 \
  X(hsa_amd_agents_allow_access, QUIET)              \
  X(hsa_amd_memory_lock, QUIET)                      \
  X(hsa_amd_memory_unlock, QUIET)                    \
  X(hsa_amd_memory_async_copy, QUIET)                \
  X(hsa_code_object_reader_create_from_memory, QUIET) \
  X(hsa_code_object_reader_destroy, QUIET)           \
  X(hsa_executable_create_alt, QUIET)                \
  X(hsa_executable_load_agent_code_object, QUIET)    \
  X(hsa_executable_freeze, QUIET)                    \
  X(hsa_executable_destroy, QUIET)                   \
  X(hsa_executable_get_symbol_by_name, QUIET)        \
  X(hsa_executable_symbol_get_info, QUIET)           \
  X(hsa_queue_create, QUIET)                         \
  X(hsa_queue_destroy, QUIET)                        \
  X(hsa_signal_create, QUIET)                        \
  X(hsa_signal_destroy, QUIET)                       \
  X(hsa_amd_profiling_set_profiler_enabled, QUIET)   \
  X(hsa_amd_profiling_get_dispatch_time, QUIET)
#else
#define HSA_CALLS(X)
#endif

#define CALLS(X)                                     \
  X(hipInit, QUIET)                                  \
  X(hipRuntimeGetVersion, QUIET)                     \
  X(hipDriverGetVersion, QUIET)                      \
  X(hipGetDevice, QUIET)                             \
  X(hipSetDevice, QUIET)                             \
  X(hipGetLastError, QUIET)                          \
  X(hipPeekAtLastError, QUIET)                       \
  X(hipGetErrorName, QUIET)                          \
  X(hipGetErrorString, QUIET)                        \
  X(hipDrvGetErrorName, QUIET)                       \
  X(hipDrvGetErrorString, QUIET)                     \
  X(hipGetDeviceCount, PLAIN)                        \
  X(hipDeviceGet, PLAIN)                             \
  X(hipDeviceGetName, PLAIN)                         \
  X(hipDeviceGetUuid, PLAIN)                         \
  X(hipDeviceGetPCIBusId, PLAIN)                     \
  X(hipDeviceGetByPCIBusId, PLAIN)                   \
  X(hipDeviceTotalMem, PLAIN)                        \
  X(hipDeviceGetAttribute, PLAIN)                    \
  X(hipGetDeviceProperties, PLAIN)                   \
  X(hipGetDevicePropertiesR0600, PLAIN)              \
  X(hipDeviceGetStreamPriorityRange, PLAIN)          \
  X(hipDeviceSynchronize, DEVICE)                    \
  X(hipMemGetInfo, DEVICE)                           \
  X(hipMalloc, DEVICE)                               \
  X(hipFree, DEVICE)                                 \
  X(hipMallocAsync, DEVICE)                          \
  X(hipFreeAsync, DEVICE)                            \
  X(hipHostMalloc, DEVICE)                           \
  X(hipHostFree, DEVICE)                             \
  X(hipMemcpyHtoD, DEVICE)                           \
  X(hipMemcpyDtoH, DEVICE)                           \
  X(hipMemcpyDtoD, DEVICE)                           \
  X(hipMemcpyHtoDAsync, DEVICE)                      \
  X(hipMemcpyDtoHAsync, DEVICE)                      \
  X(hipMemcpyDtoDAsync, DEVICE)                      \
  X(hipDeviceCanAccessPeer, PLAIN)                   \
  X(hipDeviceEnablePeerAccess, DEVICE)               \
  X(hipMemcpyPeerAsync, DEVICE)                      \
  X(hipMemsetD8, DEVICE)                             \
  X(hipMemsetD8Async, DEVICE)                        \
  X(hipMemsetD32, DEVICE)                            \
  X(hipMemsetD32Async, DEVICE)                       \
  X(hipStreamCreateWithFlags, DEVICE)                \
  X(hipStreamCreateWithPriority, DEVICE)             \
  X(hipStreamDestroy, DEVICE)                        \
  X(hipStreamQuery, DEVICE)                          \
  X(hipStreamSynchronize, DEVICE)                    \
  X(hipStreamWaitEvent, DEVICE)                      \
  X(hipLaunchHostFunc, DEVICE)                       \
  X(hipEventCreateWithFlags, DEVICE)                 \
  X(hipEventDestroy, DEVICE)                         \
  X(hipEventRecord, DEVICE)                          \
  X(hipEventQuery, DEVICE)                           \
  X(hipEventSynchronize, DEVICE)                     \
  X(hipEventElapsedTime, DEVICE)                     \
  X(hipModuleLoadData, DEVICE)                       \
  X(hipModuleUnload, DEVICE)                         \
  X(hipModuleGetFunction, DEVICE)                    \
  X(hipModuleGetFunctionCount, DEVICE)               \
  X(hipModuleGetGlobal, DEVICE)                      \
  X(hipFuncGetAttribute, DEVICE)                     \
  X(hipModuleLaunchKernel, DEVICE)                   \
  CUDA_CALLS(X)                                      \
  HSA_CALLS(X)                                       \
  X(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, DEVICE) \
  X(hipModuleOccupancyMaxPotentialBlockSize, DEVICE)

#define CALL_NUMBER(name, kind) CALL_##name,
enum call { CALLS(CALL_NUMBER) CALL_COUNT };
#undef CALL_NUMBER

// Counts a call; gives the error that it answers instead of running, or hipSuccess.
int call_begin(enum call call);

// Remembers the error for hipGetLastError and lets `interfere` do its work. Gives the error.
int call_end(enum call call, int error);

// Defines a function of HIP's API; the body that follows sees only calls that are to run.
#define API(name, parameters, arguments)                     \
  static int name##_body parameters;                         \
  EXPORT int name parameters;                                \
  int name parameters {                                      \
    int error = call_begin(CALL_##name);                     \
    if (error == hipSuccess) error = name##_body arguments;  \
    return call_end(CALL_##name, error);                     \
  }                                                          \
  static int name##_body parameters

#endif
