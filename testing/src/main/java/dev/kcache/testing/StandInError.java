// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

/** A failed call of the stand-in: a {@code hipError_t} and its reason in one line. */
final class StandInError extends RuntimeException {
  static final int SUCCESS = 0;
  static final int INVALID_VALUE = 1;
  static final int OUT_OF_MEMORY = 2;
  static final int DEINITIALIZED = 4;
  static final int INVALID_CONFIGURATION = 9;
  static final int INVALID_DEVICE = 101;
  static final int NO_BINARY_FOR_GPU = 209;
  static final int INVALID_HANDLE = 400;
  static final int NOT_FOUND = 500;
  static final int NOT_READY = 600;
  static final int ILLEGAL_ADDRESS = 700;
  static final int PEER_ACCESS_ALREADY_ENABLED = 704;
  static final int LAUNCH_FAILURE = 719;
  static final int NOT_SUPPORTED = 801;

  private static final long serialVersionUID = 1;

  private final int code;

  StandInError(int code, String reason) {
    super(reason, null, false, false);
    this.code = code;
  }

  int code() {
    return code;
  }

  String reason() {
    return String.valueOf(getMessage());
  }
}
