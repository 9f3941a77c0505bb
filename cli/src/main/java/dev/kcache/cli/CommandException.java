// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.List;

/** Ends the command before it has done anything, with an exit code and a line per problem. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;
  private final String[] problems;

  CommandException(int exitCode, List<String> problems) {
    super(String.join("; ", problems));
    this.exitCode = exitCode;
    this.problems = problems.toArray(String[]::new);
  }

  int exitCode() {
    return exitCode;
  }

  List<String> problems() {
    return List.of(problems);
  }
}
