// SPDX-License-Identifier: Apache-2.0
//
// Names and texts of errors. Up to 5 the text is the name.
#include <stdio.h>

#include "standin.h"

static const struct {
  int error;
  const char *name;
  const char *text;
} errors[] = {
    {0, "hipSuccess", "all is well"},
    {1, "hipErrorInvalidValue", "an argument is out of its range"},
    {2, "hipErrorOutOfMemory", "memory is used up"},
    {3, "hipErrorNotInitialized", "hipInit was not called"},
    {4, "hipErrorDeinitialized", "the runtime is shut down"},
    {9, "hipErrorInvalidConfiguration", "the launch has an impossible shape"},
    {98, "hipErrorInvalidDeviceFunction", "the function is none of the device's"},
    {100, "hipErrorNoDevice", "there is no device"},
    {101, "hipErrorInvalidDevice", "there is no device of that ordinal"},
    {200, "hipErrorInvalidImage", "the image is no code object"},
    {201, "hipErrorInvalidContext", "the context is none"},
    {209, "hipErrorNoBinaryForGpu", "no code object is for this device"},
    {217, "hipErrorPeerAccessUnsupported", "the devices do not reach each other"},
    {218, "hipErrorInvalidKernelFile", "the file is no code object"},
    {301, "hipErrorFileNotFound", "there is no such file"},
    {302, "hipErrorSharedObjectSymbolNotFound", "the shared object lacks a symbol"},
    {303, "hipErrorSharedObjectInitFailed", "the shared object could not be set up"},
    {304, "hipErrorOperatingSystem", "the operating system refused"},
    {400, "hipErrorInvalidHandle", "the handle is none"},
    {401, "hipErrorIllegalState", "the state does not allow it"},
    {500, "hipErrorNotFound", "there is nothing of that name"},
    {600, "hipErrorNotReady", "not all is done yet"},
    {700, "hipErrorIllegalAddress", "a kernel touched memory that is not there"},
    {701, "hipErrorLaunchOutOfResources", "the launch lacks resources"},
    {702, "hipErrorLaunchTimeOut", "the kernel took too long"},
    {704, "hipErrorPeerAccessAlreadyEnabled", "the device reaches the other already"},
    {705, "hipErrorPeerAccessNotEnabled", "the device does not reach the other yet"},
    {709, "hipErrorContextIsDestroyed", "the context is gone"},
    {710, "hipErrorAssert", "an assertion of the kernel failed"},
    {719, "hipErrorLaunchFailure", "the launch failed"},
    {801, "hipErrorNotSupported", "the device can't do that"},
    {999, "hipErrorUnknown", "nobody knows"},
    {1052, "hipErrorRuntimeMemory", "the runtime's memory failed"},
    {1053, "hipErrorRuntimeOther", "the runtime failed"},
};

static const char *find(int error, bool text) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    if (errors[i].error == error) return text ? errors[i].text : errors[i].name;
  }
  return NULL;
}

EXPORT const char *hipGetErrorName(int error);
const char *hipGetErrorName(int error) {
  call_begin(CALL_hipGetErrorName);
  const char *name = find(error, false);
  return name != NULL ? name : "hipErrorUnknown";
}

EXPORT const char *hipGetErrorString(int error);
const char *hipGetErrorString(int error) {
  call_begin(CALL_hipGetErrorString);
  const char *text = find(error, STAND_IN_MAJOR > 5);
  return text != NULL ? text : STAND_IN_MAJOR > 5 ? "nobody knows" : "hipErrorUnknown";
}

#if STAND_IN_MAJOR >= 6
API(hipDrvGetErrorName, (int number, const char **name), (number, name)) {
  if (name == NULL) return hipErrorInvalidValue;
  *name = find(number, false);
  return *name == NULL ? hipErrorInvalidValue : hipSuccess;
}

API(hipDrvGetErrorString, (int number, const char **text), (number, text)) {
  if (text == NULL) return hipErrorInvalidValue;
  *text = find(number, true);
  return *text == NULL ? hipErrorInvalidValue : hipSuccess;
}
#endif
