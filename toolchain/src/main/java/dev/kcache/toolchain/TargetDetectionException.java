// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.KcacheException;

/**
 * Thrown when no target was named and none, or no single one, could be detected. Nothing has been
 * stored.
 */
public final class TargetDetectionException extends KcacheException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception with one line that says what to do.
   *
   * @param message one line, for a user
   */
  public TargetDetectionException(String message) {
    super(requireNonNull(message, "message"));
  }

  @Override
  protected KcacheException copy() {
    return new TargetDetectionException(String.valueOf(getMessage()));
  }
}
