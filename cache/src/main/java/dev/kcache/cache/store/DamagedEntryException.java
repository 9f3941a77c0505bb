// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

/** Thrown when a file of the store does not hold what its name promises. */
final class DamagedEntryException extends Exception {
  private static final long serialVersionUID = 1L;

  DamagedEntryException(String message) {
    super(message);
  }

  DamagedEntryException(String message, Throwable cause) {
    super(message, cause);
  }
}
