// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import java.time.Duration;
import java.util.Optional;

/**
 * How one run of a program ended.
 *
 * @param end why it ended
 * @param exitCode the exit status, or -1 if it was ended
 * @param output what it wrote to standard output, its middle left out if it was long
 * @param errors the same for standard error
 * @param elapsed how long it ran
 * @param excess how it went beyond its limits, as the rest of a sentence about the program; empty
 *     if it did not
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
    /** It was killed by a signal that we didn't send. */
    KILLED,
    /** It ran past its deadline. */
    TIMED_OUT,
    /** It printed more than it may. */
    PRINTED_TOO_MUCH,
    /** It wrote more to files than it may. */
    WROTE_TOO_MUCH,
    /** The toolchain was closed. */
    CLOSED
  }

  public boolean succeeded() {
    return end == End.EXITED && exitCode == 0;
  }

  /** Returns how a log begins, for a message about a program that was ended. */
  public String firstWords() {
    return firstLine(log())
        .map(line -> "its log begins \"" + line.substring(0, Math.min(line.length(), HEAD)) + '"')
        .orElse("it said nothing");
  }

  /**
   * Returns the line that says why the program failed: an error if there is one, else the first of
   * standard error, else of standard output, where many a tool prints its version before it fails.
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

  /** Returns everything that the program printed. */
  public String log() {
    return output + errors;
  }
}
