// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import java.util.List;

/**
 * A fault that the process survived, and with which it lost the device, or all of the runtime.
 *
 * @param code the {@code hipError_t} of every call from now on: 700, {@code
 *     hipErrorIllegalAddress}, or another sticky one
 * @param description the fault and the kernels in flight, in one line
 * @param suspects the names of those kernels
 * @param everyDevice whether all devices of the runtime are lost, or only the one that faulted
 */
public record Loss(int code, String description, List<String> suspects, boolean everyDevice) {
  private static final int ILLEGAL_ADDRESS = 700;
  private static final int LAUNCH_FAILURE = 719;

  /** Copies the list. */
  public Loss {
    suspects = List.copyOf(suspects);
  }

  static Loss of(GpuFault.Kind kind, String description, Suspects suspects, boolean everyDevice) {
    int code = kind == GpuFault.Kind.MEMORY_FAULT ? ILLEGAL_ADDRESS : LAUNCH_FAILURE;
    return new Loss(code, description, suspects.kernels(), everyDevice);
  }

  /** Returns HIP's name of the code. */
  public String errorName() {
    return switch (code) {
      case ILLEGAL_ADDRESS -> "hipErrorIllegalAddress";
      case LAUNCH_FAILURE -> "hipErrorLaunchFailure";
      default -> "hipErrorUnknown";
    };
  }
}
