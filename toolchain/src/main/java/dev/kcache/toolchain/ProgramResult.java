// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import java.time.Duration;
import java.util.Optional;

/**
 * How one run of a program ended.
 *
 * @param end the reason of the end
 * @param exitCode the exit status, or -1 if it was ended
 * @param output its standard output; of a long one, beginning and end
 * @param errors the same for standard error
 * @param elapsed how long it ran
 * @param excess how it exceeded a limit, as the rest of a sentence about the program; empty if it
 *     did not
 */
public record ProgramResult(
    End end,
    int exitCode,
    String output,
    String errors,
    Duration elapsed,
    Optional<String> excess) {
  private static final int HEAD = 200;

  /** Why a program ended. */
  public enum End {
    /** By itself. */
    EXITED,
    /** By a signal that kcache did not send. */
    KILLED,
    /** It exceeded its time limit. */
    TIMED_OUT,
    /** It printed too much. */
    PRINTED_TOO_MUCH,
    /** It wrote too much to files. */
    WROTE_TOO_MUCH,
    /** The toolchain was closed. */
    CLOSED
  }

  /** {@return whether the program ended by itself with exit code 0} */
  public boolean succeeded() {
    return end == End.EXITED && exitCode == 0;
  }

  /** {@return the beginning of the log, for a message about a program that was ended} */
  public String firstWords() {
    return firstLine(log())
        .map(line -> "its log begins \"" + line.substring(0, Math.min(line.length(), HEAD)) + '"')
        .orElse("it said nothing");
  }

  /**
   * {@return the line that says why the program failed: an error message, else the first line of
   * standard error, else that of standard output, which may be only a version}
   */
  public Optional<String> complaint() {
    return Diagnostic.firstError(errors)
        .or(() -> Diagnostic.firstError(output))
        .or(() -> firstLine(errors))
        .or(() -> firstLine(output));
  }

  private static Optional<String> firstLine(String text) {
    return text.lines().map(String::strip).filter(line -> !line.isEmpty()).findFirst();
  }

  /** {@return everything that the program printed} */
  public String log() {
    return output + errors;
  }
}
