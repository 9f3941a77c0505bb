// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.KcacheException;
import java.time.Duration;
import java.util.List;

/**
 * Thrown when a compile exceeds its time limit. The compiler and its children have been ended;
 * nothing has been stored.
 */
public final class CompilationTimeoutException extends CompilationException {
  private static final long serialVersionUID = 1L;

  /** The time that the compile was allowed. */
  private final Duration limit;

  /**
   * Creates the exception.
   *
   * @param source the logical name of the source
   * @param problem what went wrong, as one line
   * @param command the exact command, the program first
   * @param log everything that the compiler printed, with the user's own file names
   * @param limit the time that the compile was allowed
   */
  public CompilationTimeoutException(
      String source, String problem, List<String> command, String log, Duration limit) {
    super(source, problem, command, -1, log);
    this.limit = requireNonNull(limit, "limit");
  }

  /** {@return the time that the compile was allowed} */
  public Duration limit() {
    return limit;
  }

  @Override
  protected KcacheException copy() {
    return new CompilationTimeoutException(
        source(), String.valueOf(getMessage()), command(), log(), limit);
  }
}
