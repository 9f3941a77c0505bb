// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

/** A {@code hipError_t} with its reason, on its way to the caller. */
final class HsaFailure extends RuntimeException {
  static final int SUCCESS = 0;
  static final int INVALID_VALUE = 1;
  static final int OUT_OF_MEMORY = 2;
  static final int NOT_INITIALIZED = 3;
  static final int INVALID_CONFIGURATION = 9;
  static final int NO_DEVICE = 100;
  static final int INVALID_DEVICE = 101;
  static final int INVALID_IMAGE = 200;
  static final int NO_BINARY_FOR_GPU = 209;
  static final int INVALID_KERNEL_FILE = 218;
  static final int INVALID_HANDLE = 400;
  static final int NOT_FOUND = 500;
  static final int NOT_READY = 600;
  static final int ILLEGAL_ADDRESS = 700;
  static final int LAUNCH_OUT_OF_RESOURCES = 701;
  static final int LAUNCH_FAILURE = 719;
  static final int NOT_SUPPORTED = 801;
  static final int UNKNOWN = 999;

  private static final long serialVersionUID = 1;

  private final int error;

  HsaFailure(int error, String reason) {
    super(reason, null, false, false);
    this.error = error;
  }

  /** Throws the failure of a function of HSA, unless it succeeded. */
  static void check(String function, int status) {
    if (status != Status.SUCCESS) {
      throw of(function, status);
    }
  }

  static HsaFailure of(String function, int status) {
    return new HsaFailure(
        Status.hipError(status), "%s gave %s".formatted(function, Status.describe(status)));
  }

  /** Throws {@link #NOT_READY} for work that is not done. */
  static void requireDone(boolean done) {
    if (!done) {
      throw new HsaFailure(NOT_READY, "not all is done yet");
    }
  }

  /** Returns the {@code hipError_t}. */
  int error() {
    return error;
  }
}
