// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.List;

/** Thrown when the request is wrong. Nothing has been done. */
final class InvalidRequestException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String[] problems;

  /** Creates the exception with one line per problem, each saying what to do. */
  InvalidRequestException(List<String> problems) {
    super(String.join("; ", problems));
    this.problems = problems.toArray(String[]::new);
  }

  /** Returns one line per problem. */
  List<String> problems() {
    return List.of(problems);
  }
}
