// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.io.PrintStream;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A line at the bottom of a terminal that is drawn over and over; nothing at all elsewhere. Not
 * safe for use by several threads.
 */
final class ProgressBar {
  /** Moves the cursor to the start of its line and erases the line. */
  static final String ERASE_LINE = "\r\033[K";

  private static final long INTERVAL_NANOS = 100_000_000;
  private static final int WIDEST = 30;
  private static final int NARROWEST = 8;

  private final PrintStream terminal;
  private final int columns;
  private final LongSupplier nanoTime;
  private long drawnAt;
  private boolean drawn;

  /**
   * How far a run has come.
   *
   * @param done tasks that have ended, {@code failed} of them by a failure
   * @param remaining how long the rest should take, if there is anything to judge it by
   * @param current what is being worked on; empty if nothing is
   */
  record Progress(int done, int failed, int total, @Nullable Duration remaining, String current) {
    /** Returns one line of at most {@code width} characters. */
    String render(int width) {
      String numbers = done + "/" + total;
      if (failed > 0) {
        numbers += ", " + failed + " failed";
      }
      if (remaining != null) {
        numbers += ", ETA " + eta(remaining);
      }
      int room = Math.min(WIDEST, width - numbers.length() - 3);
      String line = room < NARROWEST ? numbers : bar(room) + " " + numbers;
      if (!current.isEmpty()) {
        line += "  " + current;
      }
      return line.length() <= width ? line : line.substring(0, Math.max(width, 0));
    }

    // Rounded up to seconds: tenths would flicker, and "0 s" reads as done.
    private static String eta(Duration remaining) {
      long seconds = Math.max(1, remaining.plusMillis(999).toSeconds());
      return seconds < 60 ? seconds + "s" : Text.duration(Duration.ofSeconds(seconds));
    }

    private String bar(int width) {
      int filled = total == 0 ? width : (int) ((long) done * width / total);
      String head = filled < width ? ">" : "";
      return "[" + "=".repeat(filled) + head + " ".repeat(width - filled - head.length()) + "]";
    }
  }

  /** Creates a bar on a terminal with that many columns; 0 columns mean that it is none. */
  ProgressBar(PrintStream terminal, int columns, LongSupplier nanoTime) {
    this.terminal = terminal;
    this.columns = columns;
    this.nanoTime = nanoTime;
    this.drawnAt = nanoTime.getAsLong() - INTERVAL_NANOS;
  }

  /** Draws the progress, unless it was drawn a moment ago. */
  void update(Progress progress) {
    if (columns > 0 && nanoTime.getAsLong() - drawnAt >= INTERVAL_NANOS) {
      // The last column stays free: some terminals wrap when it is written.
      terminal.print(ERASE_LINE + progress.render(columns - 1));
      terminal.flush();
      drawnAt = nanoTime.getAsLong();
      drawn = true;
    }
  }

  /** Removes the bar, so that a line can be printed; the next update draws it again. */
  void clear() {
    if (drawn) {
      terminal.print(ERASE_LINE);
      terminal.flush();
      drawn = false;
      drawnAt = nanoTime.getAsLong() - INTERVAL_NANOS;
    }
  }
}
