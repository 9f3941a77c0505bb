// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

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
    super(message);
  }

  @Override
  protected KcacheException copy() {
    return new TargetDetectionException(String.valueOf(getMessage()));
  }
}
