// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.List;

/** The exit codes of the command; they mean the same for every verb. */
final class ExitCode {
  /** Done. */
  static final int OK = 0;

  /** Some kernels failed, or are missing. */
  static final int FAILED = 1;

  /** The request is wrong: an argument, an option, a source or an environment value. */
  static final int USAGE = 2;

  /** The machine lacks something: a compiler, a GPU, a directory to write to or to look into. */
  static final int UNAVAILABLE = 3;

  /** What was looked at is damaged. */
  static final int DAMAGED = 4;

  /** Nobody reads the output any more: 128 and the number of SIGPIPE, as a shell reports it. */
  static final int READER_GONE = 141;

  /** Ended by SIGINT: 128 and the number of the signal, as a shell reports it. */
  static final int INTERRUPTED = 130;

  private static final List<Integer> RISING = List.of(OK, UNAVAILABLE, FAILED, USAGE);

  private ExitCode() {}

  /**
   * Returns the code of a run in which both happened: the one that the user can act on first. A
   * wrong request comes before a failed kernel, a failed kernel before what the machine lacks.
   */
  static int worse(int one, int other) {
    return rank(one) >= rank(other) ? one : other;
  }

  private static int rank(int code) {
    int rank = RISING.indexOf(code);
    return rank < 0 ? RISING.size() : rank;
  }
}
