// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import org.jspecify.annotations.Nullable;

/** Thrown when a source cannot be read or keyed; the package's callers turn it into their own. */
public final class SourceProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final int line;
  private final String problem;

  SourceProblem(String file, int line, String problem) {
    this(file, line, problem, null);
  }

  SourceProblem(String file, int line, String problem, @Nullable Throwable cause) {
    super(file + (line > 0 ? ":" + line : "") + ": " + problem, cause);
    this.file = file;
    this.line = line;
    this.problem = problem;
  }

  public String file() {
    return file;
  }

  public int line() {
    return line;
  }

  public String problem() {
    return problem;
  }
}
