// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.KcacheException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a source is not there, or contains what cannot be keyed, such as {@code .incbin}.
 * Nothing has been compiled or stored.
 */
public final class InvalidKernelSourceException extends KcacheException {
  private static final long serialVersionUID = 1L;

  private final String source;
  private final int line;
  private final String problem;

  /**
   * Creates the exception.
   *
   * @param source the logical name of the file
   * @param line the line in it, from 1, or 0 if it is about the whole file
   * @param problem what is wrong and what to do, as one line
   */
  public InvalidKernelSourceException(String source, int line, String problem) {
    this(source, line, problem, null);
  }

  InvalidKernelSourceException(String source, int line, String problem, @Nullable Throwable cause) {
    super(source + (line > 0 ? ":" + line : "") + ": " + problem, cause);
    this.source = source;
    this.line = line;
    this.problem = problem;
  }

  /** Returns the logical name of the file. */
  public String source() {
    return source;
  }

  /** Returns the line in the file, from 1, or 0 if the whole file is meant. */
  public int line() {
    return line;
  }

  /** Returns what is wrong and what to do, without file and line. */
  public String problem() {
    return problem;
  }
}
