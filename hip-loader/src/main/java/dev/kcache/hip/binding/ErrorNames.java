// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names that HIP gives its errors, which are those of the CUDA driver too. The numbers are the
 * same in both; 9 is HIP's only.
 *
 * <p>Source: {@code hipCUResultTohipError} in <a
 * href="https://github.com/ROCm/hipother/blob/rocm-6.4.0/hipnv/include/hip/nvidia_detail/nvidia_hip_runtime_api.h">{@code
 * nvidia_hip_runtime_api.h}</a>. Other numbers are no errors of HIP, even if HIP uses them for
 * something else (911, 912, 916).
 */
public final class ErrorNames {
  private static final String TABLE =
      """
      0 hipSuccess, 1 hipErrorInvalidValue, 2 hipErrorOutOfMemory, 3 hipErrorNotInitialized
      4 hipErrorDeinitialized, 5 hipErrorProfilerDisabled, 6 hipErrorProfilerNotInitialized
      7 hipErrorProfilerAlreadyStarted, 8 hipErrorProfilerAlreadyStopped
      9 hipErrorInvalidConfiguration
      100 hipErrorNoDevice, 101 hipErrorInvalidDevice
      200 hipErrorInvalidImage, 201 hipErrorInvalidContext, 202 hipErrorContextAlreadyCurrent
      205 hipErrorMapFailed, 206 hipErrorUnmapFailed, 207 hipErrorArrayIsMapped
      208 hipErrorAlreadyMapped, 209 hipErrorNoBinaryForGpu, 210 hipErrorAlreadyAcquired
      211 hipErrorNotMapped, 212 hipErrorNotMappedAsArray, 213 hipErrorNotMappedAsPointer
      214 hipErrorECCNotCorrectable, 215 hipErrorUnsupportedLimit
      216 hipErrorContextAlreadyInUse, 217 hipErrorPeerAccessUnsupported
      218 hipErrorInvalidKernelFile, 219 hipErrorInvalidGraphicsContext
      300 hipErrorInvalidSource, 301 hipErrorFileNotFound
      302 hipErrorSharedObjectSymbolNotFound, 303 hipErrorSharedObjectInitFailed
      304 hipErrorOperatingSystem
      400 hipErrorInvalidHandle, 401 hipErrorIllegalState
      500 hipErrorNotFound
      600 hipErrorNotReady
      700 hipErrorIllegalAddress, 701 hipErrorLaunchOutOfResources, 702 hipErrorLaunchTimeOut
      704 hipErrorPeerAccessAlreadyEnabled, 705 hipErrorPeerAccessNotEnabled
      708 hipErrorSetOnActiveProcess, 709 hipErrorContextIsDestroyed, 710 hipErrorAssert
      712 hipErrorHostMemoryAlreadyRegistered, 713 hipErrorHostMemoryNotRegistered
      719 hipErrorLaunchFailure, 720 hipErrorCooperativeLaunchTooLarge
      801 hipErrorNotSupported
      900 hipErrorStreamCaptureUnsupported, 901 hipErrorStreamCaptureInvalidated
      902 hipErrorStreamCaptureMerge, 903 hipErrorStreamCaptureUnmatched
      904 hipErrorStreamCaptureUnjoined, 905 hipErrorStreamCaptureIsolation
      906 hipErrorStreamCaptureImplicit, 907 hipErrorCapturedEvent
      908 hipErrorStreamCaptureWrongThread, 910 hipErrorGraphExecUpdateFailure
      999 hipErrorUnknown
      """;

  private static final Map<Integer, String> NAMES =
      Pattern.compile("(\\d+) (\\w+)")
          .matcher(TABLE)
          .results()
          .collect(toUnmodifiableMap(it -> Integer.valueOf(it.group(1)), it -> it.group(2)));

  private ErrorNames() {}

  /** Returns HIP's name of an error, or of a {@code CUresult}; null if it has none. */
  public static @Nullable String name(int error) {
    return NAMES.get(error);
  }
}
