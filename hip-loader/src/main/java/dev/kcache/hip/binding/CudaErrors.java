// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The names that HIP gives the errors of the CUDA driver. The numbers are the same in both.
 *
 * <p>Source: {@code hipCUResultTohipError} in <a
 * href="https://github.com/ROCm/hipother/blob/rocm-6.4.0/hipnv/include/hip/nvidia_detail/nvidia_hip_runtime_api.h">{@code
 * nvidia_hip_runtime_api.h}</a>. What is not there is no error of HIP, also where HIP has the
 * number for something else (911, 912, 916).
 */
final class CudaErrors {
  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(0, "hipSuccess"),
          Map.entry(1, "hipErrorInvalidValue"),
          Map.entry(2, "hipErrorOutOfMemory"),
          Map.entry(3, "hipErrorNotInitialized"),
          Map.entry(4, "hipErrorDeinitialized"),
          Map.entry(5, "hipErrorProfilerDisabled"),
          Map.entry(6, "hipErrorProfilerNotInitialized"),
          Map.entry(7, "hipErrorProfilerAlreadyStarted"),
          Map.entry(8, "hipErrorProfilerAlreadyStopped"),
          Map.entry(100, "hipErrorNoDevice"),
          Map.entry(101, "hipErrorInvalidDevice"),
          Map.entry(200, "hipErrorInvalidImage"),
          Map.entry(201, "hipErrorInvalidContext"),
          Map.entry(202, "hipErrorContextAlreadyCurrent"),
          Map.entry(205, "hipErrorMapFailed"),
          Map.entry(206, "hipErrorUnmapFailed"),
          Map.entry(207, "hipErrorArrayIsMapped"),
          Map.entry(208, "hipErrorAlreadyMapped"),
          Map.entry(209, "hipErrorNoBinaryForGpu"),
          Map.entry(210, "hipErrorAlreadyAcquired"),
          Map.entry(211, "hipErrorNotMapped"),
          Map.entry(212, "hipErrorNotMappedAsArray"),
          Map.entry(213, "hipErrorNotMappedAsPointer"),
          Map.entry(214, "hipErrorECCNotCorrectable"),
          Map.entry(215, "hipErrorUnsupportedLimit"),
          Map.entry(216, "hipErrorContextAlreadyInUse"),
          Map.entry(217, "hipErrorPeerAccessUnsupported"),
          Map.entry(218, "hipErrorInvalidKernelFile"),
          Map.entry(219, "hipErrorInvalidGraphicsContext"),
          Map.entry(300, "hipErrorInvalidSource"),
          Map.entry(301, "hipErrorFileNotFound"),
          Map.entry(302, "hipErrorSharedObjectSymbolNotFound"),
          Map.entry(303, "hipErrorSharedObjectInitFailed"),
          Map.entry(304, "hipErrorOperatingSystem"),
          Map.entry(400, "hipErrorInvalidHandle"),
          Map.entry(401, "hipErrorIllegalState"),
          Map.entry(500, "hipErrorNotFound"),
          Map.entry(600, "hipErrorNotReady"),
          Map.entry(700, "hipErrorIllegalAddress"),
          Map.entry(701, "hipErrorLaunchOutOfResources"),
          Map.entry(702, "hipErrorLaunchTimeOut"),
          Map.entry(704, "hipErrorPeerAccessAlreadyEnabled"),
          Map.entry(705, "hipErrorPeerAccessNotEnabled"),
          Map.entry(708, "hipErrorSetOnActiveProcess"),
          Map.entry(709, "hipErrorContextIsDestroyed"),
          Map.entry(710, "hipErrorAssert"),
          Map.entry(712, "hipErrorHostMemoryAlreadyRegistered"),
          Map.entry(713, "hipErrorHostMemoryNotRegistered"),
          Map.entry(719, "hipErrorLaunchFailure"),
          Map.entry(720, "hipErrorCooperativeLaunchTooLarge"),
          Map.entry(801, "hipErrorNotSupported"),
          Map.entry(900, "hipErrorStreamCaptureUnsupported"),
          Map.entry(901, "hipErrorStreamCaptureInvalidated"),
          Map.entry(902, "hipErrorStreamCaptureMerge"),
          Map.entry(903, "hipErrorStreamCaptureUnmatched"),
          Map.entry(904, "hipErrorStreamCaptureUnjoined"),
          Map.entry(905, "hipErrorStreamCaptureIsolation"),
          Map.entry(906, "hipErrorStreamCaptureImplicit"),
          Map.entry(907, "hipErrorCapturedEvent"),
          Map.entry(908, "hipErrorStreamCaptureWrongThread"),
          Map.entry(910, "hipErrorGraphExecUpdateFailure"),
          Map.entry(999, "hipErrorUnknown"));

  private CudaErrors() {}

  /** Returns HIP's name of a {@code CUresult}; null if it has none. */
  static @Nullable String name(int error) {
    return NAMES.get(error);
  }
}
