// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.KcacheException;

/** Thrown when no compiler is found or it cannot be run. Nothing has been stored. */
public final class ToolchainNotFoundException extends KcacheException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception with one line that says what to do.
   *
   * @param message one line, for a user
   */
  public ToolchainNotFoundException(String message) {
    super(requireNonNull(message, "message"));
  }

  @Override
  protected KcacheException copy() {
    return new ToolchainNotFoundException(String.valueOf(getMessage()));
  }
}
