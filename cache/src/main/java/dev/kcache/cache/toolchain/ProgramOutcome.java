// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import java.time.Duration;

/**
 * How one run of a program ended.
 *
 * @param end why it ended
 * @param exitCode the exit status, or -1 if it was ended
 * @param output what it wrote to standard output, its middle left out if it was long
 * @param errors the same for standard error
 * @param elapsed how long it ran
 */
record ProgramOutcome(End end, int exitCode, String output, String errors, Duration elapsed) {
  /** Why a program ended. */
  enum End {
    /** By itself. */
    EXITED,
    /** It was killed by a signal that we didn't send. */
    KILLED,
    /** It ran past its deadline. */
    TIMED_OUT,
    /** The runner was closed. */
    CLOSED
  }

  boolean succeeded() {
    return end == End.EXITED && exitCode == 0;
  }

  /** Returns everything that the program printed. */
  String log() {
    return output + errors;
  }
}
