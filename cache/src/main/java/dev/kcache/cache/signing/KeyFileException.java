// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

/** A file is not the key that it should be. The message is one line that says what to do. */
public final class KeyFileException extends Exception {
  private static final long serialVersionUID = 1L;

  KeyFileException(String message) {
    super(message);
  }

  KeyFileException(String message, Throwable cause) {
    super(message, cause);
  }
}
