// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import dev.kcache.codeobject.KcacheException;
import java.util.List;

/**
 * Thrown when a crate cannot be compiled as it is, whatever its code says: its Cargo.lock is
 * outdated, its manifest is malformed, or it runs code that nobody allowed. Nothing has been
 * compiled for the GPU or stored.
 */
public final class InvalidCrateException extends CompilationException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param source the logical name of the source
   * @param problem what is wrong and what to do, as one line
   * @param command the exact command, the program first
   * @param exitCode the exit code of cargo, or -1 if it has not refused the crate itself
   * @param log everything that cargo printed, with the user's own file names
   */
  public InvalidCrateException(
      String source, String problem, List<String> command, int exitCode, String log) {
    super(source, problem, command, exitCode, log);
  }

  @Override
  protected KcacheException copy() {
    return new InvalidCrateException(
        source(), String.valueOf(getMessage()), command(), exitCode(), log());
  }
}
