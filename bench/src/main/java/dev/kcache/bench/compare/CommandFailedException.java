// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

/** Thrown when a compared program did not do its work, so that its time means nothing. */
final class CommandFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CommandFailedException(String message) {
    super(message);
  }
}
