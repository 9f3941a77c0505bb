// SPDX-License-Identifier: Apache-2.0
//
// The functions of CUDA's driver API, over what stands in for HIP: each is one function of HIP on the
// device of the thread's context. What a test counts or lets fail has HIP's name.
#include "cuda.h"

#include "standin.h"

#define PASS(name, hip, enter, parameters, arguments)          \
  int hip parameters;                                          \
  EXPORT int name parameters;                                  \
  int name parameters {                                        \
    int error = enter();                                       \
    return error != hipSuccess ? error : leave(hip arguments); \
  }

PASS(cuDeviceGetName, hipDeviceGetName, enter,
     (char *name, int length, int device),
     (name, length, device))
PASS(cuDeviceGetPCIBusId, hipDeviceGetPCIBusId, enter,
     (char *id, int length, int device),
     (id, length, device))
PASS(cuDeviceTotalMem_v2, hipDeviceTotalMem, enter, (size_t *bytes, int device), (bytes, device))
PASS(cuDeviceGet, hipDeviceGet, enter, (int *device, int ordinal), (device, ordinal))
PASS(cuDeviceGetCount, hipGetDeviceCount, enter, (int *count), (count))
PASS(cuCtxSynchronize, hipDeviceSynchronize, enter_context, (void), ())
PASS(cuCtxGetStreamPriorityRange, hipDeviceGetStreamPriorityRange, enter_context,
     (int *least, int *greatest),
     (least, greatest))
PASS(cuMemAlloc_v2, hipMalloc, enter_context, (void **pointer, size_t size), (pointer, size))
PASS(cuMemFree_v2, hipFree, enter_context, (void *pointer), (pointer))
PASS(cuMemHostAlloc, hipHostMalloc, enter_context,
     (void **pointer, size_t size, unsigned flags),
     (pointer, size, flags))
PASS(cuMemFreeHost, hipHostFree, enter_context, (void *pointer), (pointer))
PASS(cuMemGetInfo_v2, hipMemGetInfo, enter_context,
     (size_t *unused, size_t *total),
     (unused, total))
PASS(cuMemcpyHtoD_v2, hipMemcpyHtoD, enter_context,
     (void *to, const void *from, size_t size),
     (to, from, size))
PASS(cuMemcpyDtoH_v2, hipMemcpyDtoH, enter_context,
     (void *to, void *from, size_t size),
     (to, from, size))
PASS(cuMemcpyDtoD_v2, hipMemcpyDtoD, enter_context,
     (void *to, void *from, size_t size),
     (to, from, size))
PASS(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync, enter_context,
     (void *to, const void *from, size_t size, void *stream),
     (to, from, size, stream))
PASS(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync, enter_context,
     (void *to, void *from, size_t size, void *stream),
     (to, from, size, stream))
PASS(cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync, enter_context,
     (void *to, void *from, size_t size, void *stream),
     (to, from, size, stream))
PASS(cuDeviceCanAccessPeer, hipDeviceCanAccessPeer, enter,
     (int *can, int device, int peer),
     (can, device, peer))
PASS(cuMemsetD8_v2, hipMemsetD8, enter_context,
     (void *to, unsigned char value, size_t count),
     (to, value, count))
PASS(cuMemsetD8Async, hipMemsetD8Async, enter_context,
     (void *to, unsigned char value, size_t count, void *stream),
     (to, value, count, stream))
PASS(cuMemsetD32_v2, hipMemsetD32, enter_context,
     (void *to, int value, size_t count),
     (to, value, count))
PASS(cuMemsetD32Async, hipMemsetD32Async, enter_context,
     (void *to, int value, size_t count, void *stream),
     (to, value, count, stream))
PASS(cuMemAllocAsync, hipMallocAsync, enter_context,
     (void **pointer, size_t size, void *stream),
     (pointer, size, stream))
PASS(cuMemFreeAsync, hipFreeAsync, enter_context, (void *pointer, void *stream), (pointer, stream))
PASS(cuStreamCreate, hipStreamCreateWithFlags, enter_context,
     (void **stream, unsigned flags),
     (stream, flags))
PASS(cuStreamCreateWithPriority, hipStreamCreateWithPriority, enter_context,
     (void **stream, unsigned flags, int priority),
     (stream, flags, priority))
PASS(cuStreamDestroy_v2, hipStreamDestroy, enter_context, (void *stream), (stream))
PASS(cuStreamQuery, hipStreamQuery, enter_context, (void *stream), (stream))
PASS(cuStreamSynchronize, hipStreamSynchronize, enter_context, (void *stream), (stream))
PASS(cuStreamWaitEvent, hipStreamWaitEvent, enter_context,
     (void *stream, void *event, unsigned flags),
     (stream, event, flags))
PASS(cuEventCreate, hipEventCreateWithFlags, enter_context,
     (void **event, unsigned flags),
     (event, flags))
PASS(cuEventDestroy_v2, hipEventDestroy, enter_context, (void *event), (event))
PASS(cuEventRecord, hipEventRecord, enter_context, (void *event, void *stream), (event, stream))
PASS(cuEventQuery, hipEventQuery, enter_context, (void *event), (event))
PASS(cuEventSynchronize, hipEventSynchronize, enter_context, (void *event), (event))
PASS(cuEventElapsedTime, hipEventElapsedTime, enter_context,
     (float *milliseconds, void *start, void *end),
     (milliseconds, start, end))
PASS(cuModuleLoadData, hipModuleLoadData, enter_context,
     (void **module, const void *image),
     (module, image))
PASS(cuModuleUnload, hipModuleUnload, enter_context, (void *module), (module))
PASS(cuModuleGetFunction, hipModuleGetFunction, enter_context,
     (void **function, void *module, const char *name),
     (function, module, name))
PASS(cuModuleGetGlobal_v2, hipModuleGetGlobal, enter_context,
     (void **address, size_t *size, void *module, const char *name),
     (address, size, module, name))
PASS(cuFuncGetAttribute, hipFuncGetAttribute, enter_context,
     (int *value, int number, void *function),
     (value, number, function))
PASS(cuOccupancyMaxActiveBlocksPerMultiprocessor, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, enter_context,
     (int *blocks, void *function, int threads, size_t shared),
     (blocks, function, threads, shared))
