// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import dev.kcache.toolchain.ProgramResult;
import java.time.Duration;

/**
 * The limits beyond which a program is ended. Sizes are in bytes.
 *
 * @param time the longest time that it may run
 * @param printed the most that it may print, to standard output and error together
 * @param written the most that its staging directory may hold, with its input and output
 */
public record RunLimits(Duration time, long printed, long written) {
  private static final long MEGABYTE = 1_000_000;

  /** Far more than any compile takes, temporary files included. */
  private static final long DIRECTORY = 2_000 * MEGABYTE;

  private static final Duration LONGEST = Duration.ofDays(30);

  /** Shortens a time that is too long for the system's clocks. */
  public RunLimits {
    time = time.compareTo(LONGEST) > 0 ? LONGEST : time;
  }

  /** Returns the limits of a compile. */
  public static RunLimits ofCompile(Duration time) {
    return new RunLimits(time, 64 * MEGABYTE, DIRECTORY);
  }

  /** Returns the limits of a probe, whose answer has a few lines. */
  public static RunLimits ofProbe(Duration time) {
    return new RunLimits(time, MEGABYTE, DIRECTORY);
  }

  /** Returns how a run exceeded a limit, as the rest of a sentence about the program. */
  public String explain(ProgramResult.End end) {
    return switch (end) {
      case TIMED_OUT -> "did not end within " + seconds() + " and was ended";
      case PRINTED_TOO_MUCH -> "printed more than " + size(printed) + " and was ended";
      case WROTE_TOO_MUCH -> "wrote more than " + size(written) + " of files and was ended";
      case EXITED, KILLED, CLOSED -> throw new IllegalArgumentException(end.toString());
    };
  }

  /** Returns the time as people write it, such as {@code 2 s} or {@code 0.5 s}. */
  String seconds() {
    long millis = time.toMillis();
    return (millis % 1000 == 0 ? Long.toString(millis / 1000) : millis / 1000.0 + "") + " s";
  }

  private static String size(long bytes) {
    long megabytes = bytes / MEGABYTE;
    return megabytes % 1000 == 0 ? megabytes / 1000 + " GB" : megabytes + " MB";
  }
}
