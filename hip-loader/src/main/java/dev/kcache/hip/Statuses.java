// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.util.Objects.requireNonNullElse;

import dev.kcache.hip.binding.HipLibrary;

/** Turns a {@code hipError_t} into an exception. */
final class Statuses {
  static final int SUCCESS = 0;
  static final int NO_DEVICE = 100;
  static final int INVALID_DEVICE = 101;
  static final int NOT_FOUND = 500;
  static final int NOT_READY = 600;
  static final int PEER_ACCESS_ALREADY_ENABLED = 704;

  private static final String UNKNOWN = "unknown error";

  private Statuses() {}

  static void check(HipLibrary library, String function, int status) {
    if (status != SUCCESS) {
      throw failure(library, function, status, "");
    }
  }

  /**
   * Returns the exception for a status, and clears the thread's last error.
   *
   * @param details more details in one line; may be empty
   */
  static HipException failure(HipLibrary library, String function, int status, String details) {
    // The string is read at the address that they return, which is invalid if the library lacks
    // them.
    String name =
        library.has("hipGetErrorName")
            ? requireNonNullElse(library.platformCalls().hipGetErrorName(status), UNKNOWN)
            : UNKNOWN;
    String text =
        library.has("hipGetErrorString")
            ? requireNonNullElse(library.platformCalls().hipGetErrorString(status), "")
            : "";
    int unused = library.platformCalls().hipGetLastError();
    String whole = text.isEmpty() || details.isEmpty() ? text + details : text + ": " + details;
    if (!library.has(function)) {
      whole = "this runtime has no such function: " + library;
    }
    return status == HipLibrary.NOT_SUPPORTED
        ? new UnsupportedByRuntimeException(function, status, name, whole)
        : new HipException(function, status, name, whole);
  }
}
