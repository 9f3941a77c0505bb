// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static java.util.Objects.requireNonNullElse;

import dev.kcache.hip.binding.HipLibrary;

/** Turns a {@code hipError_t} into an exception. */
final class Statuses {
  static final int SUCCESS = 0;
  static final int NO_DEVICE = 100;
  static final int INVALID_DEVICE = 101;
  static final int NOT_READY = 600;

  private Statuses() {}

  static void check(HipLibrary library, String function, int status) {
    if (status != SUCCESS) {
      throw failure(library, function, status);
    }
  }

  static HipException failure(HipLibrary library, String function, int status) {
    return failure(library, function, status, "");
  }

  /**
   * Returns the exception for a status.
   *
   * @param details what else is known, for one line; may be empty
   */
  static HipException failure(HipLibrary library, String function, int status, String details) {
    String name = requireNonNullElse(library.functions().hipGetErrorName(status), "unknown error");
    String text =
        library.has(function)
            ? requireNonNullElse(library.functions().hipGetErrorString(status), "")
            : "this runtime has no such function: " + library;
    String whole = text.isEmpty() || details.isEmpty() ? text + details : text + ": " + details;
    return new HipException(function, status, name, whole);
  }
}
