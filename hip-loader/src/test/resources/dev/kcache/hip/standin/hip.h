// SPDX-License-Identifier: Apache-2.0
//
// The numbers of HIP's C API that the stand-in needs, as AMD's headers of 5.2, 6.4 and 7.2 give them.
#ifndef STAND_IN_HIP_H
#define STAND_IN_HIP_H

#include <stddef.h>
#include <stdint.h>

enum {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorInvalidConfiguration = 9,
  hipErrorInvalidDeviceFunction = 98,
  hipErrorNotInitialized = 3,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidImage = 200,
  hipErrorInvalidContext = 201,
  hipErrorNoBinaryForGpu = 209,
  hipErrorPeerAccessUnsupported = 217,
  hipErrorInvalidKernelFile = 218,
  hipErrorSharedObjectInitFailed = 303,
  hipErrorInvalidHandle = 400,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorIllegalAddress = 700,
  hipErrorLaunchOutOfResources = 701,
  hipErrorPeerAccessAlreadyEnabled = 704,
  hipErrorPeerAccessNotEnabled = 705,
  hipErrorContextIsDestroyed = 709,
  hipErrorLaunchFailure = 719,
};

enum { hipStreamNonBlocking = 1 };

enum {
  hipEventBlockingSync = 1,
  hipEventDisableTiming = 2,
  hipEventInterprocess = 4,
  hipEventDisableSystemFence = 0x20000000,
  hipEventReleaseToDevice = 0x40000000,
};

#define hipEventReleaseToSystem 0x80000000u

// What `extra` of hipModuleLaunchKernel is made of. The end is 3 in HIP, and 0 in CUDA.
enum {
  HIP_LAUNCH_PARAM_BUFFER_POINTER = 1,
  HIP_LAUNCH_PARAM_BUFFER_SIZE = 2,
#ifdef STAND_IN_CUDA
  HIP_LAUNCH_PARAM_END = 0,
#else
  HIP_LAUNCH_PARAM_END = 3,
#endif
};

enum {
  HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  HIP_FUNC_ATTRIBUTE_NUM_REGS = 4,
  HIP_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  HIP_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
};

typedef struct {
  char bytes[16];
} hipUUID;

#endif
