// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.source.SourceProblem;
import dev.kcache.codeobject.KcacheException;

/**
 * Thrown when a source is not there, or contains what cannot be keyed, such as {@code .incbin}.
 * Nothing has been compiled or stored.
 */
public final class InvalidKernelSourceException extends KcacheException {
  private static final long serialVersionUID = 1L;

  /** The name of the file as messages show it. */
  private final String source;

  /** The line in the file, from 1; 0 for the whole file. */
  private final int line;

  /** What is wrong and what to do, without file and line. */
  private final String problem;

  InvalidKernelSourceException(String source, String problem) {
    super(source + ": " + problem);
    this.source = source;
    this.line = 0;
    this.problem = problem;
  }

  InvalidKernelSourceException(SourceProblem cause) {
    super(String.valueOf(cause.getMessage()), cause);
    this.source = cause.file();
    this.line = cause.line();
    this.problem = cause.problem();
  }

  /** Creates the same exception, with the other as its cause. */
  private InvalidKernelSourceException(InvalidKernelSourceException cause) {
    super(String.valueOf(cause.getMessage()), cause);
    this.source = cause.source;
    this.line = cause.line;
    this.problem = cause.problem;
  }

  /**
   * {@return the name of the file that is wrong, as messages show it: the source, or a file that it
   * includes}
   */
  public String source() {
    return source;
  }

  /** {@return the line in the file, from 1, or 0 if the whole file is meant} */
  public int line() {
    return line;
  }

  /** {@return what is wrong and what to do, without file and line} */
  public String problem() {
    return problem;
  }

  @Override
  protected KcacheException copy() {
    return new InvalidKernelSourceException(this);
  }
}
